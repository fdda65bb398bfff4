// The three ways to drive a StreamMethod; see driven.hpp.
#include "halo/cuda/driven.hpp"

#include "halo/cuda/handles.hpp"

namespace halyard::bench {
namespace {

constexpr int kPerGraph = 20;  // exchanges in one graph: its own launch is shared by them
constexpr int kLead = 2;       // exchanges before the clock starts, so that neither launch nor a late peer is in it
constexpr int kWarmUp = 4;     // more than any method has buffers in turn
constexpr double kSecondsPerMs = 1e-3;

/// Common to all: the method, its stream, and time as the GPU sees it.
class Driven : public Method {
 public:
  Driven(std::shared_ptr<StreamMethod> method, FieldSet& fields, cudaStream_t stream)
      : Method(fields), method_(std::move(method)), stream_(stream) {}

  std::string path() const override { return method_->path(); }
  std::string_view memory() const override { return method_->memory(); }
  GhostSource source() const override { return method_->source(); }

 protected:
  void enqueue() { method_->enqueue(stream_); }
  void synchronize() { check_cuda(cudaStreamSynchronize(stream_), "the exchange"); }
  double num_per_enqueue() const { return method_->num_per_enqueue(); }
  cudaStream_t stream() const { return stream_; }

  /// Seconds between two events around what `work` enqueues.
  template <class Work>
  double time_on_gpu(Work&& work) {
    check_cuda(cudaEventRecord(begin_.get(), stream_), "cudaEventRecord");
    work();
    check_cuda(cudaEventRecord(end_.get(), stream_), "cudaEventRecord");
    synchronize();
    float ms = 0.0F;
    check_cuda(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "cudaEventElapsedTime");
    return static_cast<double>(ms) * kSecondsPerMs;
  }

 private:
  std::shared_ptr<StreamMethod> method_;
  cudaStream_t stream_;
  OwnedEvent begin_ = make_event();
  OwnedEvent end_ = make_event();
};

class Streamed : public Driven {
 public:
  using Driven::Driven;
  void exchange() override {
    enqueue();
    synchronize();
  }
  double time(int count) override {
    for (int i = 0; i < kLead; ++i) enqueue();
    const double seconds = time_on_gpu([&] {
      for (int i = 0; i < count; ++i) enqueue();
    });
    return seconds / (count * num_per_enqueue());
  }
};

class Synchronized : public Driven {
 public:
  using Driven::Driven;
  void exchange() override {
    enqueue();
    synchronize();
  }
};

class Replayed : public Driven {
 public:
  Replayed(std::shared_ptr<StreamMethod> method, FieldSet& fields, cudaStream_t stream)
      : Driven(std::move(method), fields, stream) {
    for (int i = 0; i < kWarmUp; ++i) enqueue();
    synchronize();
    capture();
  }

  void exchange() override {
    replay();
    synchronize();
  }
  double time(int count) override {
    const int replays = (count + kPerGraph - 1) / kPerGraph;
    replay();
    const double seconds = time_on_gpu([&] {
      for (int i = 0; i < replays; ++i) replay();
    });
    return seconds / (replays * kPerGraph * num_per_enqueue());
  }

 private:
  void replay() { check_cuda(cudaGraphLaunch(graph_.get(), stream()), "cudaGraphLaunch"); }

  void capture() {
    check_cuda(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < kPerGraph; ++i) enqueue();
    cudaGraph_t captured = nullptr;
    check_cuda(cudaStreamEndCapture(stream(), &captured), "cudaStreamEndCapture");
    const OwnedGraph graph(captured);
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
    graph_.reset(executable);
    check_cuda(cudaGraphUpload(graph_.get(), stream()), "cudaGraphUpload");
    synchronize();
  }

  OwnedGraphExec graph_;
};

}  // namespace

std::unique_ptr<Method> drive(std::shared_ptr<StreamMethod> method, Mode mode, FieldSet& fields, cudaStream_t stream) {
  switch (mode) {
    case Mode::sync:
      return std::make_unique<Synchronized>(std::move(method), fields, stream);
    case Mode::graph:
      return std::make_unique<Replayed>(std::move(method), fields, stream);
    case Mode::stream:
      break;
  }
  return std::make_unique<Streamed>(std::move(method), fields, stream);
}

}  // namespace halyard::bench
