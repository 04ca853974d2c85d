#pragma once
// Progress line and times of the stages of a build.

#include "support/progress.h"
#include "support/stages.h"

namespace skelgen::build {

class StageClock {
 public:
  explicit StageClock(std::ostream* terminal) : progress_(terminal) {}
  /// The stage before ends; what this one takes is added to `stage` when it ends.
  void enter(const char* name, Stage& stage) {
    leave();
    progress_.stage(name);
    stage_ = &stage;
  }
  void leave() {
    const Stage lap = laps_.lap();
    if (stage_) stage_->add(lap);
    stage_ = nullptr;
  }

 private:
  Laps laps_;
  Progress progress_;
  Stage* stage_ = nullptr;
};

}  // namespace skelgen::build
