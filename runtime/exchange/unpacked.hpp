// Unpacked messages: those that a channel sends straight from the fields. Set-up; used by Assembly.
#pragma once

#include "exchange/link.hpp"

namespace halyard::exchange {

/// Opens the link's channel by its worker. The messages that it sends from where they lie are not packed any more; for
/// the forward one of the others Link::why_packed says why, where that is worth a word.
void open_channel(Link& link, transport::ChannelSpec spec);

}  // namespace halyard::exchange
