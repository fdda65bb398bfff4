// Link: one neighbor of a binding: its channel, what to copy, and how far its messages have come.
//
// Used by HostBinding only, from the thread that uses the binding. Everything but compile is data path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "exchange/tag.hpp"
#include "halyard/exchange.hpp"
#include "pack/program.hpp"
#include "transport/worker.hpp"

namespace halyard::exchange {

/// One kind of exchange on one link. In place and unpacked, `send` is empty; in place `receive` reads the peer's
/// fields; on the link of a rank to itself `receive` does everything.
struct Route {
  bool has_send = false;
  bool has_receive = false;
  std::int64_t send_bytes = 0;  // of the message; 0 in place
  std::uint64_t send_hash = 0;
  std::uint64_t receive_hash = 0;
  std::optional<std::size_t> unpacked;  // which of the channel's messages this is, if it is sent straight from fields
  pack::Program send;
  pack::Program receive;
};

/// An exchange that has been started.
struct Running {
  std::uint64_t number = 0;
  Kind kind = Kind::forward;
  Reduce op = Reduce::sum;
  ReduceOrder order = ReduceOrder::arrival;
  std::uint32_t step = 0;  // number and kind as a trace has them: metrics::Step::code
};

/// What came of trying to move a message.
enum class Step { moved, nothing, wrong_message };

class Link {
 public:
  int rank = 0;
  std::size_t place = 0;                        // among the binding's links
  transport::Worker* worker = nullptr;          // null on the link of a rank to itself
  std::unique_ptr<transport::Channel> channel;  // likewise
  Route forward;
  Route reverse;
  bool reads_in_place = false;  // what arrives is read in the peer's fields
  std::string why_packed;       // for explain(): why messages are not in place, where they could be

  const Route& route(Kind kind) const { return kind == Kind::forward ? forward : reverse; }

  /// Data path. Packs and posts this exchange's message, if it is the link's next and a credit is there.
  Step try_send(const Running& running);
  /// Data path. Unpacks this exchange's message, if it is the link's next and has arrived.
  Step try_receive(const Running& running);

  bool has_sent(std::uint64_t number) const { return sent_through_ >= number; }
  bool has_received(std::uint64_t number) const { return received_through_ >= number; }
  /// Data path. Everything received, and nothing of this rank's memory is needed by the peer any more.
  bool is_done(std::uint64_t number);

  /// Takes another channel, between two exchanges: of the same peer, which does the same. Answers the one before.
  std::unique_ptr<transport::Channel> replace_channel(std::unique_ptr<transport::Channel> next);

  /// The tag that was not the expected one, after Step::wrong_message.
  Tag wrong_tag() const { return wrong_tag_; }

 private:
  void post(const Route& way, std::uint64_t tag);
  void run(const pack::Program& program, const Running& running, const std::byte* message) const;

  std::uint64_t sent_through_ = 0;  // exchange numbers
  std::uint64_t received_through_ = 0;
  std::uint64_t num_messages_ = 0;               // posted on the channel
  std::uint64_t message_of_[kMaxInFlight] = {};  // by exchange number: messages posted up to and including it
  Tag wrong_tag_;
};

}  // namespace halyard::exchange
