// UcxChannel: whose turn it is. Counts messages and credits of one connection; link.hpp moves the bytes.
//
// Invariants, for each direction: posted - consumed <= 2, so a landing slot is written only when its reader is done
// with it; the peer learns of every consumed message, by the header of our next message or by a word of its own, at the
// latest when it has no credit left. Message n carries n in its header and raises its slot's sequence word to n.
//
// A peer may close as soon as its last message is here, so a broken connection is a failure only when no message waits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "transport/channel.hpp"
#include "transport/ucx/link.hpp"

namespace halyard::transport::ucx {

class UcxWorker;

class UcxChannel final : public Channel {
 public:
  UcxChannel(UcxWorker& worker, const ChannelSpec& spec);
  ~UcxChannel() override;

  Blob address() override;
  void connect(std::span<const std::byte> peer_address) override;

  bool may_post() override;
  std::byte* send_buffer() override;
  void post(std::int64_t bytes, std::uint64_t tag) override;
  std::uint64_t num_delivered() override;

  std::optional<Incoming> receive() override;
  void release() override;

  StatusCode failure() const override;
  std::string failure_text() const override;
  void give_up(int culprit) override;
  std::string form() const override;

 private:
  bool has_arrived(std::uint64_t sequence) const;
  void learn_consumed();
  bool is_broken(const Header& header, std::uint64_t sequence);

  UcxWorker& worker_;
  ChannelSpec spec_;
  std::unique_ptr<Link> link_;
  const Endpoint* endpoint_ = nullptr;

  std::uint64_t num_posted_ = 0;
  std::uint64_t num_delivered_ = 0;
  std::uint64_t num_consumed_by_peer_ = 0;
  std::uint64_t num_consumed_ = 0;       // messages of the peer that were released
  std::uint64_t num_consumed_told_ = 0;  // what the peer was told, or is being told, of them
  std::uint64_t num_posted_at_release_ = 0;

  Header broken_header_;  // kept for failure_text()
  bool has_broken_header_ = false;
};

}  // namespace halyard::transport::ucx
