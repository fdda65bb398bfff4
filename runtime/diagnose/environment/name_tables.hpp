// The names that libraries read from the environment, without their family's prefix, words with blanks between them.
// Data only; known_names.cpp reads it.
#pragma once

#include <string_view>

namespace halyard::diagnose {

extern const std::string_view kNcclNames;       // NCCL 2.28
extern const std::string_view kNcclOlderNames;  // read before 2.28 only
extern const std::string_view kNcclNewerNames;  // read after 2.28 only

extern const std::string_view kUcxNames;           // whole names
extern const std::string_view kUcxTransports;      // what may stand in front of ...
extern const std::string_view kUcxTransportNames;  // ... these

extern const std::string_view kOpenMpiFrameworks;  // first word of an MCA parameter
extern const std::string_view kOpenMpiNames;       // parameters that job scripts set

}  // namespace halyard::diagnose
