#include "pvmshim/agent/task_request.h"

#include "pvmshim/agent/setup.h"

namespace morgana {
namespace {

std::uint64_t word(std::int32_t number) {
  return static_cast<std::uint32_t>(number);
}

std::int32_t number_in(ContentReader& from) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(from.number()));
}

}  // namespace

std::vector<std::byte> encode(const TaskRequest& request) {
  const pvm::TaskStart& task = request.task;
  ContentWriter to;
  to.number(static_cast<std::uint64_t>(request.what))
      .number(word(static_cast<std::int32_t>(request.rank)))
      .number(word(request.number))
      .number(word(request.process))
      .number(word(task.id))
      .number(word(task.parent))
      .number(task.host)
      .number(task.debug ? 1 : 0)
      .number(task.output ? 1 : 0)
      .number(word(static_cast<std::int32_t>(task.output.value_or(Rank{}))))
      .text(task.file)
      .text(task.folder);
  put_texts(to, task.arguments);
  put_texts(to, task.variables);
  return to.bytes();
}

TaskRequest decode_task_request(std::span<const std::byte> content) {
  ContentReader from(content);
  TaskRequest request;
  const std::uint64_t what = from.number();
  if (what > static_cast<std::uint64_t>(TaskRequest::What::end))
    throw MalformedFrame("what is asked about a task is unknown");
  request.what = static_cast<TaskRequest::What>(what);
  request.rank = Rank{number_in(from)};
  request.number = number_in(from);
  request.process = number_in(from);
  pvm::TaskStart& task = request.task;
  task.rank = request.rank;
  task.id = number_in(from);
  task.parent = number_in(from);
  task.host = static_cast<std::uint32_t>(from.number());
  task.debug = from.number() != 0;
  const bool is_caught = from.number() != 0;
  const Rank output{number_in(from)};
  if (is_caught) task.output = output;
  task.file = from.text();
  task.folder = from.text();
  task.arguments = texts_from(from);
  task.variables = texts_from(from);
  return request;
}

std::vector<std::byte> encode(const TaskReply& reply) {
  return ContentWriter().number(word(reply.result)).number(reply.ends_it ? 1 : 0).text(reply.why).bytes();
}

TaskReply decode_task_reply(std::span<const std::byte> content) {
  ContentReader from(content);
  TaskReply reply;
  reply.result = number_in(from);
  reply.ends_it = from.number() != 0;
  reply.why = from.text();
  return reply;
}

}  // namespace morgana
