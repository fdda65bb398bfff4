// RAII for MPI objects that stays silent after MPI_Finalize, when they are gone already.
#pragma once

#include <mpi.h>

#include <utility>

namespace halyard::transport::mpi {

inline bool is_running() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized != 0 && is_finalized == 0;
}

class Comm {
 public:
  Comm() = default;
  explicit Comm(MPI_Comm comm) : comm_(comm) {}
  Comm(Comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Comm& operator=(Comm&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~Comm() {
    if (comm_ != MPI_COMM_NULL && is_running()) MPI_Comm_free(&comm_);
  }
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Collective. The ranks of `comm` that can share memory with this one.
inline Comm split_by_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  return Comm(node);
}

class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL && is_running()) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A persistent request. Freed with its communication ended or, for a receive, canceled.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept : request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(request_, other.request_);
    return *this;
  }
  ~Request() {
    if (request_ != MPI_REQUEST_NULL && is_running()) MPI_Request_free(&request_);
  }
  MPI_Request* address() { return &request_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace halyard::transport::mpi
