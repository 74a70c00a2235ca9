#include "pvmshim/launch/mpi/live_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "emulator/core/standard_error.h"
#include "emulator/operations/unknown_time.h"
#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/process_watch.h"
#include "pvmshim/launch/mpi/rank_environment.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/standstill.h"
#include "pvmshim/launch/process/waiting.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// While ranks start, and later while a recorded program runs: how often to look how they fare.
constexpr nanoseconds between_first_looks = 500us;
constexpr nanoseconds between_looks_at_ranks = 5ms;
/// A recorded program of which no call ends for so long is told of.
constexpr auto longest_standstill_of_ranks = 30s;
/// How often to look for ranks that can't have meant what they have said.
constexpr std::chrono::milliseconds between_careful_looks{100};

/// A rank that computes for so long while others wait, and takes no simulated time for it, may never end.
constexpr auto long_computing = 1s;

bool may_cancel(const RankProgram& program) {
  return may_cancel_messages(program.command);
}

/// From how many ranks on it is worth making: a large page is what it takes at least.
constexpr std::size_t ranks_with_card_table = 32;

std::optional<CardTable> card_table_for(std::size_t ranks) {
  if (ranks < ranks_with_card_table) return std::nullopt;
  return std::optional<CardTable>(std::in_place, ranks);
}

MpiJob::Environment environment_for(const std::string& channel, const std::optional<CardTable>& card_table,
                                    const RankShare& share) {
  MpiJob::Environment environment = shim_environment();
  for (auto& variable : emulated_environment(channel, share.is_all()))
    environment.push_back(std::move(variable));
  if (card_table) environment.emplace_back(CardTable::path_variable, card_table->path());
  return environment;
}

std::vector<Rank> all_ranks(std::size_t count) {
  std::vector<Rank> ranks;
  for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(Rank{static_cast<std::int32_t>(rank)});
  return ranks;
}

std::vector<Rank> own_ranks(const LaunchOptions& options) {
  if (options.share.is_all()) return all_ranks(options.ranks);
  std::vector<Rank> ranks;
  for (const int rank : options.share.ranks) ranks.push_back(Rank{rank});
  return ranks;
}

/// Each program with the ranks of it that run here.
std::vector<RankProgram> programs_here(std::vector<RankProgram> programs, const RankShare& share) {
  if (share.is_all()) return programs;
  std::size_t begin = 0;
  for (RankProgram& program : programs) {
    const std::size_t end = begin + program.ranks;
    program.ranks = static_cast<std::size_t>(std::ranges::count_if(share.ranks, [&](int rank) {
      return static_cast<std::size_t>(rank) >= begin && static_cast<std::size_t>(rank) < end;
    }));
    begin = end;
  }
  std::erase_if(programs, [](const RankProgram& program) { return program.ranks == 0; });
  return programs;
}

/// The programs as paths that have been checked, with what their ranks need in addition.
/// @param host_of  of each rank; empty: each is alone
std::vector<RankProgram> checked(const LaunchOptions& options, const std::vector<std::uint32_t>& host_of) {
  std::vector<RankProgram> programs = programs_of(options);
  for (RankProgram& program : programs) {
    add_interface(program, check_command(program.command, options.mpi), options.ranks, host_of);
    program.command[0] = find_program(program.command[0]).string();
  }
  return programs_here(std::move(programs), options.share);
}

bool is_any_guessed(const LaunchOptions& options) {
  return std::ranges::any_of(programs_of(options), [&](const RankProgram& program) {
    return is_mpi_guessed(program.command, options.mpi);
  });
}

std::string out_of_room_text(Rank rank) {
  return fmt::format(
      "rank {} has sent more than its shared memory holds, and nobody receives it: let ranks receive before "
      "they send more",
      static_cast<int>(rank));
}

}  // namespace

ChannelSettings channel_settings(const LaunchOptions& options) {
  ChannelSettings settings;
  settings.ranks = static_cast<std::uint32_t>(options.ranks);
  settings.compute = options.compute;
  settings.compute_scale = options.compute_scale;
  if (options.epoch_s) settings.choose_date(*options.epoch_s);
  settings.least_distance_ps = options.least_distance.ps();
  settings.least_distance_between_hosts_ps = options.least_distance_between_hosts.ps();
  settings.cores_per_rank = options.cores_per_rank;
  settings.processors_are_shared = options.processors_are_shared ? 1 : 0;
  settings.messages_are_certain = are_messages_certain(options) ? 1 : 0;
  settings.messages_may_return = options.messages_may_return ? 1 : 0;
  settings.receives_take_no_time = options.receives_take_no_time ? 1 : 0;
  settings.page_faults_suspend_threads = options.page_faults_suspend_threads ? 1 : 0;
  return settings;
}

std::vector<RankProgram> programs_of(const LaunchOptions& options) {
  if (options.programs.empty()) return {RankProgram{options.command, options.ranks}};
  return options.programs;
}

BuiltForOpenMpi built_for_openmpi(const LaunchOptions& options) {
  const std::vector<RankProgram> programs = programs_of(options);
  try {
    const auto built = std::ranges::count_if(programs, [&](const RankProgram& program) {
      return check_command(program.command, options.mpi) == MpiInterface::openmpi;
    });
    return {built > 0, built == std::ssize(programs)};
  } catch (const Error&) {
    return {};  // starting the program says what is wrong with it
  }
}

bool are_messages_certain(const LaunchOptions& options) {
  if (!options.share.is_all()) return options.messages_are_certain;  // as decided for all machines
  return options.messages_are_certain && std::ranges::none_of(programs_of(options), may_cancel);
}

LiveProgram::LiveProgram(const LaunchOptions& options)
    : programs_(checked(options, options.host_of)),
      settings_(channel_settings(options)),
      share_(options.share),
      own_(own_ranks(options)),
      tell_starting_(options.starting),
      computed_(options.ranks),
      answered_(options.ranks),
      unattached_(own_),
      said_(options.ranks),
      watch_(options.watch_interval, options.compute == ComputeMode::measured),
      channel_(settings_, options.payload_room, options.host_of, options.machine_of),
      card_table_(card_table_for(options.ranks)),
      job_(programs_, environment_for(channel_.path(), card_table_, share_), MpiJob::Cleanup::by_us,
           options.input, share_),
      deaths_(job_, options.ranks, own_, account(is_any_guessed(options)), [this] { channel_.wake(); }) {}

bool LiveProgram::next(Rank rank, Operation& operation) {
  if (channel_.take(rank, operation)) {
    answered_[index(rank)].reset();
    said_[index(rank)] = {operation.call, operation.wants_answer};
    has_moved_ = true;
    return true;
  }
  deaths_.throw_if_failed();
  return false;
}
void LiveProgram::dropped(std::uint64_t payload) {
  channel_.release(payload);
}

void LiveProgram::answer(Rank rank, const Answer& answer) {
  if (settings_.messages_are_certain != 0) refuse_uncertain(rank, answer);
  said_[index(rank)].asks = false;
  answered_[index(rank)] = answer.clock != unknown_time ? std::optional(answer.clock) : std::nullopt;
  has_moved_ = true;
  channel_.answer(rank, answer);
}

void throw_returned_too_late(Rank rank, const Operation& operation, Outcome why) {
  throw RankFailed(
      fmt::format(
          "rank {} has had an error in {} that came too late for an error handler: {} (the ends of all "
          "sends are waited for only where network.faults says that something dies)",
          index(rank), name_of(operation.call), describe_returned(why)),
      code_of_returned);
}

void LiveProgram::returned(Rank rank, const Operation& operation, Outcome why) {
  throw_returned_too_late(rank, operation, why);
}

/// The receiver may have taken the message already, and could not take the next one for it.
void LiveProgram::refuse_uncertain(Rank rank, const Answer& answer) const {
  for (const Completed& completed : answer.completed)
    if (completed.outcome != Outcome::delivered)
      throw RankFailed(
          fmt::format(
              "a message of rank {} has been given up, which was not to be expected where nothing dies: {}",
              index(rank), describe_returned(completed.outcome)),
          code_of_returned);
}

std::string LiveProgram::given_name(Context context) const {
  return channel_.given_name(context);
}

std::optional<SimTime> LiveProgram::computed(Rank rank) {
  const auto used = channel_.computed(rank);
  if (!used) return std::nullopt;
  SimTime computed = simulated(*used, settings_);
  // Polls that it has answered itself cost time too; it shows where they have brought it.
  if (const auto& answered = answered_[index(rank)])
    computed = std::max(computed, channel_.reached(rank) - *answered);
  return computed_[index(rank)] = computed;
}

bool LiveProgram::is_held_up() {
  if (settings_.compute != ComputeMode::none || settings_.messages_are_certain == 0) return false;
  return std::chrono::steady_clock::now() - still_from_ > long_computing;
}

/// Once for as many words as have come since the last time: a clock costs more than most of them.
void LiveProgram::note_movement() {
  if (!std::exchange(has_moved_, false)) return;
  still_from_ = std::chrono::steady_clock::now();
  watch_.moved();
}

std::vector<RankStanding> LiveProgram::standings() const {
  std::vector<RankStanding> standings;
  for (const Rank rank : own_) {
    const Said& said = said_[index(rank)];
    RankStanding& standing = standings.emplace_back();
    standing.rank = rank;
    if (said.last != Call::unknown) standing.call = name_of(said.last);
    const auto attached = channel_.pid_of(rank);
    standing.process = attached.value_or(deaths_.process_of(rank));
    if (standing.process == 0) standing.process = job_.pid();  // mpiexec, which is to start it
    if (!attached)
      standing.where = RankStanding::Where::not_begun;
    else if (channel_.ended(rank))
      standing.where = RankStanding::Where::ended;
    else
      standing.where =
          said.asks || channel_.sleeps(rank) ? RankStanding::Where::in_call : RankStanding::Where::in_program;
  }
  return standings;
}

bool LiveProgram::has_news(std::span<const Rank> ranks) const {
  return std::ranges::any_of(ranks, [this](Rank rank) { return channel_.has_words(rank); });
}

void LiveProgram::tell_of_standstill() {
  const std::string text = watch_.look(std::chrono::steady_clock::now(), [this] { return standings(); });
  if (!text.empty()) print_error(fmt::format("morgana: {}\n", text));
}

void LiveProgram::wait(std::span<const AwaitedRank> awaited) {
  throw_if_interrupted();
  deaths_.throw_if_failed();
  note_movement();
  awaited_.clear();
  const nanoseconds unhurried = deaths_.starting() ? between_first_looks : longest_sleep;
  nanoseconds timeout = unhurried;
  for (const AwaitedRank& awaited_rank : awaited) {
    awaited_.push_back(awaited_rank.rank);
    timeout = std::min(timeout,
                       processor_time_missing(awaited_rank, computed_[index(awaited_rank.rank)], settings_));
  }
  // What has not attached holds up the others, whomever the engine waits for.
  awaited_.insert(awaited_.end(), unattached_.begin(), unattached_.end());
  if (awaited_.empty()) awaited_ = own_;
  channel_.wait(awaited_, std::max(timeout, shortest_sleep), unhurried);
  watch_new_ranks();
  deaths_.look();
  tell_starting();
  throw_if_interrupted();
  deaths_.throw_if_failed();
  look_carefully(awaited);
  if (!has_news(awaited_)) tell_of_standstill();
}

void LiveProgram::rest(nanoseconds longest, std::span<const Rank> heard) {
  throw_if_interrupted();
  if (deaths_.starting()) longest = std::min(longest, between_first_looks);
  channel_.wait(heard, std::clamp(longest, shortest_sleep, longest_sleep));
  watch_new_ranks();
  deaths_.look();
  throw_if_interrupted();
  deaths_.throw_if_failed();
}

bool LiveProgram::is_own(Rank rank) const {
  return share_.is_all() || std::ranges::binary_search(own_, rank);
}
std::uint32_t LiveProgram::most_threads() const {
  return channel_.most_threads();
}

int LiveProgram::finish() {
  while (!deaths_.job_ended()) {
    throw_if_interrupted();
    deaths_.throw_if_failed();
    deaths_.look();
    note_movement();
    tell_of_standstill();
    channel_.wait({}, longest_sleep);
  }
  deaths_.throw_if_failed();
  return job_.wait();
}

RankDeaths::Account LiveProgram::account(bool mpi_guessed) {
  return {[this](Rank rank) { return channel_.pid_of(rank).has_value(); },
          [this](Rank rank) { return !is_own(rank) || channel_.ended(rank); },
          [this](Rank rank) { return channel_.announced_end(rank); }, true, mpi_guessed};
}

/// Watches the processes of the ranks that have attached meanwhile.
void LiveProgram::watch_new_ranks() {
  std::erase_if(unattached_, [this](Rank rank) {
    const auto pid = channel_.pid_of(rank);
    if (pid) deaths_.add(rank, *pid);
    return pid.has_value();
  });
}

/// Half of starting a rank is its process, the other half its MPI_Init.
void LiveProgram::tell_starting() {
  if (!tell_starting_) return;
  const std::size_t done = deaths_.seen() + ranks() - unattached_.size();
  tell_starting_(static_cast<double>(done) / static_cast<double>(2 * ranks()));
  if (done == 2 * ranks()) tell_starting_ = nullptr;
}

/// The emulator waits for these ranks' next words: will they come?
void LiveProgram::look_carefully(std::span<const AwaitedRank> awaited) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_careful_looks;
  const bool all_rest = every_rank_rests();
  for (const AwaitedRank& awaited_rank : awaited) {
    const int number = static_cast<int>(awaited_rank.rank);
    switch (channel_.rest(awaited_rank.rank)) {
      case EmulatorChannel::Rest::for_answer:
        throw RankFailed(fmt::format("rank {} waits for an answer to what it has not asked: the program "
                                     "may have written over the shim's memory",
                                     number),
                         EXIT_FAILURE);
      case EmulatorChannel::Rest::for_message:
        throw RankFailed(
            fmt::format("rank {} waits for a message that nobody has sent, although the emulator "
                        "has seen it sent: the program may have written over the shim's memory",
                        number),
            EXIT_FAILURE);
      case EmulatorChannel::Rest::in_an_operation:
        throw Error(
            fmt::format("rank {} has said half an operation, and not the rest of it: the program may have "
                        "written over the shim's memory",
                        number));
      case EmulatorChannel::Rest::for_room:
        // It gives the emulator nothing to go on with; if all others wait too, that is for ever.
        if (all_rest) throw Error(out_of_room_text(awaited_rank.rank));
        break;
      case EmulatorChannel::Rest::none:
      case EmulatorChannel::Rest::otherwise:
        throw_if_ended_without_a_word(awaited_rank.rank);
        break;
    }
  }
}

/// RankDeaths reports those that have not claimed to have said all.
void LiveProgram::throw_if_ended_without_a_word(Rank rank) {
  const auto pid = channel_.pid_of(rank);
  if (!pid || !channel_.ended(rank) || !process_has_ended(*pid) || channel_.has_words(rank)) return;
  throw RankFailed(fmt::format("rank {} has ended without a word: the program may have written over the "
                               "shim's memory",
                               static_cast<int>(rank)),
                   EXIT_FAILURE);
}

RanksAtRest LiveProgram::at_rest() {
  RanksAtRest rest{every_rank_rests(), {}};
  for (const Rank rank : own_)
    if (rest.out_of_room.empty() && channel_.rest(rank) == EmulatorChannel::Rest::for_room)
      rest.out_of_room = out_of_room_text(rank);
  return rest;
}

/// Asks each, so that the answer of none depends on another's.
bool LiveProgram::every_rank_rests() {
  return std::count_if(own_.begin(), own_.end(), [this](Rank rank) {
           const bool rests = channel_.rest(rank) != EmulatorChannel::Rest::none;
           return channel_.ended(rank) || rests;
         }) == std::ssize(own_);
}

int run_capturing(const LaunchOptions& options, const std::string& folder) {
  const std::filesystem::path logs = std::filesystem::absolute(folder);
  MpiJob::Environment environment = shim_environment();
  for (auto& variable : capture_environment(logs.string())) environment.push_back(std::move(variable));
  const std::vector<std::uint32_t> one_host(options.ranks, 0);
  MpiJob job(checked(options, one_host), environment, MpiJob::Cleanup::by_us, options.input);
  const RankDeaths::Account account{[&](Rank rank) { return capture_log_begun(logs, rank); },
                                    [&](Rank rank) { return capture_log_closed(logs, rank); },
                                    [&](Rank rank) { return announced_end(logs, rank); }, false,
                                    is_any_guessed(options)};
  RankDeaths deaths(job, options.ranks, all_ranks(options.ranks), account, [] {});
  Standstill standstill(logs, "MPI", longest_standstill_of_ranks, Standstill::Clock::now());
  while (!deaths.job_ended()) {
    throw_if_interrupted();
    if (!options.quiet) standstill.tell();
    deaths.throw_if_failed();
    deaths.look();
    std::this_thread::sleep_for(deaths.starting() ? between_first_looks : between_looks_at_ranks);
  }
  deaths.throw_if_failed();
  return job.wait();
}

int run_native(const LaunchOptions& options) {
  std::vector<RankProgram> programs = programs_of(options);
  for (RankProgram& program : programs) program.command.at(0) = find_program(program.command[0]).string();
  return MpiJob(programs, {}, MpiJob::Cleanup::by_mpiexec, options.input).wait();
}

}  // namespace morgana
