// What a worker that registers nothing answers, see worker.hpp.
#include "transport/worker.hpp"

#include "memory/shelf.hpp"

namespace halyard::transport {

memory::CacheCounters Worker::registrations() const { return {}; }

}  // namespace halyard::transport
