#include "pvmshim/pvmd/mailboxes.h"

#include <algorithm>
#include <string_view>

#include "pvmshim/pvmd/codes.h"

namespace morgana::pvm {
namespace {

/// Whether the pieces between the pattern's stars occur in the name, one behind the other.
bool matches(std::string_view name, std::string_view pattern) {
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t at = name.find(piece);
    if (at == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    name.remove_prefix(at + piece.size());
    pattern.remove_prefix(star + 1);
  }
}

}  // namespace

Mailboxes::Box* Mailboxes::find(const std::string& name) {
  for (Box& box : boxes_)
    if (box.name == name) return &box;
  return nullptr;
}

bool Mailboxes::may_change(const Entry& entry, TaskId task) {
  return entry.owner == task || (entry.flags & mailbox_overwritable) != 0;
}

void Mailboxes::erase(Box* box, std::map<std::int32_t, Entry>::iterator entry) {
  box->entries.erase(entry);
  if (box->entries.empty()) boxes_.remove_if([box](const Box& other) { return &other == box; });
}

std::int32_t Mailboxes::put(TaskId owner, const std::string& name, std::int32_t index, std::int32_t flags,
                            std::vector<std::byte> message, std::vector<AddressedReply>& answers) {
  Box* box = find(name);
  if (box == nullptr) box = &boxes_.emplace_back(Box{name, {}});
  std::int32_t place = index == -1 ? direct_index(flags) : index;
  if (const auto there = box->entries.find(place); there != box->entries.end()) {
    if ((flags & mailbox_many_instances) != 0) {
      if (index != -1) return denied;
      while (box->entries.contains(place)) ++place;
    } else if (!may_change(there->second, owner)) {
      return denied;
    }
  }
  box->entries[place] = {owner, flags, std::move(message)};

  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    Reply reply = waiting->name == name ? look(*waiting) : Reply{not_found, {}, {}, {}};
    if (reply.status == not_found) {
      ++waiting;
      continue;
    }
    answers.push_back({waiting->asker, std::move(reply)});
    waiting = waiting_.erase(waiting);
  }
  return place;
}

Reply Mailboxes::look(const Waiting& request) {
  Box* box = find(request.name);
  if (box == nullptr) return {not_found, {}, {}, {}};
  const auto entry = box->entries.lower_bound(request.index);
  const bool exact = (request.flags & mailbox_first_available) == 0;
  if (entry == box->entries.end() || (exact && entry->first != request.index)) return {not_found, {}, {}, {}};
  if ((request.flags & mailbox_read_and_delete) == 0) return {entry->first, {}, {}, entry->second.message};
  if (!may_change(entry->second, request.task)) return {denied, {}, {}, {}};
  Reply reply{entry->first, {}, {}, std::move(entry->second.message)};
  erase(box, entry);
  return reply;
}

void Mailboxes::receive(TaskId task, Asker asker, const std::string& name, std::int32_t index,
                        std::int32_t flags, std::vector<AddressedReply>& answers) {
  const Waiting request{task, asker, name, index, flags};
  Reply reply = look(request);
  if (reply.status == not_found && (flags & mailbox_wait) != 0)
    waiting_.push_back(request);
  else
    answers.push_back({asker, std::move(reply)});
}

std::int32_t Mailboxes::remove(TaskId task, const std::string& name, std::int32_t index) {
  Box* box = find(name);
  if (box == nullptr) return not_found;
  const auto entry = box->entries.find(index);
  if (entry == box->entries.end()) return not_found;
  if (!may_change(entry->second, task)) return denied;
  erase(box, entry);
  return index;
}

Reply Mailboxes::list(const std::string& pattern) const {
  Reply reply;
  for (const Box& box : boxes_) {
    if (!matches(box.name, pattern)) continue;
    reply.texts.push_back(box.name);
    reply.numbers.push_back(static_cast<std::int64_t>(box.entries.size()));
    for (const auto& [index, entry] : box.entries)
      reply.numbers.insert(reply.numbers.end(), {index, entry.owner, entry.flags});
  }
  return reply;
}

void Mailboxes::tidy(TaskId task) {
  waiting_.remove_if([task](const Waiting& waiting) { return waiting.task == task; });
  for (Box& box : boxes_) {
    std::erase_if(box.entries, [task](const auto& entry) {
      return entry.second.owner == task && (entry.second.flags & mailbox_persistent) == 0;
    });
    for (auto& [index, entry] : box.entries)
      if (entry.owner == task) entry.owner = 0;
  }
  boxes_.remove_if([](const Box& box) { return box.entries.empty(); });
}

}  // namespace morgana::pvm
