// Polls, messages of any source, whoever wrote last, managers and workers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "normalize/normalize.h"
#include "unit/normalize/manager.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kAny = mpi::kAnySource, kAnyTag = mpi::kAnyTag;

std::vector<std::int64_t> sources(const normalize::Normalized& run, std::size_t l = 0) {
  std::vector<std::int64_t> all;
  for (const auto& match : run.locations[l].matches) all.push_back(match.source);
  return all;
}

/// What the peers of a location's calls are: the k of an answer, 0 for others.
std::vector<std::int64_t> answers(const normalize::Normalized& run, std::size_t l = 0) {
  std::vector<std::int64_t> all;
  for (const auto call : run.locations[l].calls) all.push_back(answered(run.symbols[run.records[call].symbol]));
  all.erase(all.begin());  // Init
  all.pop_back();          // Finalize
  return all;
}

/// LocationCalls::numbers of one rank.
std::vector<std::uint64_t> numbers(const Behaviour& behaviour) {
  const Folder folder;
  write(folder.path(), 1, behaviour);
  return normalize::classes(trace::open(folder.path()), {.numbers = true}).locations[0].numbers;
}

TEST(Polls, ARunOfThemIsOneRecord) {
  const auto run = normalized(2, [](Process& p) {
    p.irecv(0, 1);
    for (int i = 0; i < 5; ++i) p.call("MPI_Test", {p.request(1), 0, Ints{}});
    p.barrier();
    for (int i = 0; i < 3; ++i) p.call("MPI_Iprobe", {0, 7, p.comm(), 0, Ints{}});
    for (int i = 0; i < 2; ++i) p.call("MPI_Iprobe", {0, 8, p.comm(), 0, Ints{}});
    p.wait(1);
  });
  EXPECT_THAT(texts(run), ElementsAre(HasSubstr("Irecv"), HasSubstr("MPI_Test(request=r0, flag=0"),
                                      HasSubstr("Barrier"), HasSubstr("tag=7, comm=MPI_COMM_WORLD, flag=0"),
                                      HasSubstr("tag=8, comm=MPI_COMM_WORLD, flag=0"), HasSubstr("Wait")));
}

TEST(Polls, ThoseBeforeThePollThatSucceedsAreNoRecordAndKeepTheirTime) {
  const auto run = [](int idle) {
    return normalized(1, [=](Process& p) {
      p.irecv(0, 1);
      for (int i = 0; i < idle; ++i) p.call("MPI_Test", {p.request(1), 0, Ints{}}, 500);
      p.call("MPI_Test", {p.request(1), 1, Ints{}}, 500);
    });
  };
  EXPECT_EQ(texts(run(0)), texts(run(7)));
  const auto polled = run(7);
  EXPECT_NEAR(polled.locations[0].gap_s[2], 8 * 500e-9, 1e-12);
  EXPECT_NEAR(polled.locations[0].duration_s[2], 8 * 100e-9, 1e-12);
}

TEST(Polls, TestsomeThatEndsNothing) {
  const auto run = normalized(1, [](Process& p) {
    p.irecv(0, 1), p.irecv(0, 2);
    for (int i = 0; i < 4; ++i) p.call("MPI_Testsome", {2, p.requests({1, 2}), Ints{}, Ints{}});
    p.call("MPI_Testsome", {2, p.requests({1, 2}), Ints{0, 1}, Ints{}});
    // Without a live request it says nothing, however often it is called.
    for (int i = 0; i < 2; ++i) p.call("MPI_Testsome", {0, Ints{}, Ints{}, Ints{}});
  });
  EXPECT_THAT(texts(run), SizeIs(3));
}

TEST(Polls, OfNullRequestsAreTime) {
  const auto run = [](int times) {
    return normalized(1, [=](Process& p) {
      p.irecv(0, 1);
      for (int i = 0; i < times; ++i) {
        p.call("MPI_Test", {0, 1, Ints{}}, 500);
        p.call("MPI_Testall", {2, Ints{0, 0}, 1, Ints{}}, 500);
        p.call("MPI_Testany", {2, Ints{0, 0}, mpi::kUndefined, 1, Ints{}}, 500);
        p.call("MPI_Testsome", {2, Ints{0, 0}, Ints{}, Ints{}}, 500);
        p.call("MPI_Request_get_status", {0, 1, Ints{}}, 500);
      }
      p.call("MPI_Test", {p.request(1), 1, Ints{}}, 500);
    });
  };
  EXPECT_EQ(texts(run(0)), texts(run(3)));
  const auto polled = run(3);
  EXPECT_NEAR(polled.locations[0].gap_s[2], 16 * 500e-9 + 15 * 100e-9, 1e-12);
}

TEST(Cancel, KnowsFromTheStatusWhatBecameOfTheRequest) {
  const auto run = normalized(1, [](Process& p) {
    const auto cancelled = [&](const Ints& status) {
      p.irecv(0, 1);
      p.call("MPI_Cancel", {p.request(1)});
      p.call("MPI_Wait", {p.request(1), status});
    };
    cancelled({mpi::kCancelled, -1});
    cancelled({0, 5});
    p.irecv(0, 1);
    p.call("MPI_Cancel", {p.request(1)});
    p.call("MPI_Request_free", {p.request(1)});
  });
  const auto twice = texts(normalized(1, [](Process& p) {
    p.irecv(0, 1);
    for (int i = 0; i < 2; ++i) p.call("MPI_Cancel", {p.request(1)});
    p.call("MPI_Wait", {p.request(1), Ints{0, 5}});
  }));
  EXPECT_THAT(twice[1], HasSubstr("MPI_Cancel(request=r0, outcome=2)"));
  EXPECT_THAT(twice[2], HasSubstr("MPI_Cancel(request=r0, outcome=2)"));
  const auto all = texts(run);
  EXPECT_THAT(all[1], HasSubstr("MPI_Cancel(request=r0, outcome=1)"));
  EXPECT_THAT(all[4], HasSubstr("MPI_Cancel(request=r0, outcome=2)"));
  EXPECT_THAT(all[7], HasSubstr("MPI_Cancel(request=r0, outcome=1)"));
}

TEST(Polls, InTurnAreKeptOnceEach) {
  const auto run = [](int rounds) {
    return normalized(1, [=](Process& p) {
      p.irecv(0, 1);
      for (int i = 0; i < rounds; ++i) {
        p.call("MPI_Test", {p.request(1), 0, Ints{}}, 500);
        p.call("MPI_Wtime", {}, 500);
        p.call("MPI_Iprobe", {kAny, 8, p.comm(), 0, Ints{}}, 500);
      }
      p.barrier();
    });
  };
  EXPECT_THAT(texts(run(1)), ElementsAre(HasSubstr("Irecv"), HasSubstr("Test"), HasSubstr("Wtime"), HasSubstr("Iprobe"),
                                         HasSubstr("Barrier")));
  EXPECT_EQ(texts(run(1)), texts(run(9)));
  EXPECT_THAT(sources(run(9)), ElementsAre(kAny));
  // The program decided to poll for so long: that is computation, but for the time in the calls that stay.
  const auto polled = run(9);
  double gap_s = 0, duration_s = 0;
  for (const int i : {2, 3, 4}) gap_s += polled.locations[0].gap_s[i], duration_s += polled.locations[0].duration_s[i];
  EXPECT_NEAR(gap_s, 27 * 500e-9 + 24 * 100e-9, 1e-12);
  EXPECT_NEAR(duration_s, 3 * 100e-9, 1e-12);
}

TEST(Polls, LeaveNumbersOfTheCallsThatWereRecorded) {
  const Behaviour behaviour = [](Process& p) {
    p.irecv(0, 1);
    for (int i = 0; i < 3; ++i) p.call("MPI_Test", {p.request(1), 0, Ints{}});
    p.call("MPI_Test", {p.request(1), 1, Ints{}});
    p.irecv(0, 1);
    for (int i = 0; i < 3; ++i) p.call("MPI_Test", {p.request(1), 0, Ints{}});
    p.barrier();
    p.wait(1);
  };
  EXPECT_THAT(numbers(behaviour), ElementsAre(0, 1, 5, 6, 7, 10, 11, 12));
  EXPECT_THAT(numbers([](Process& p) { p.barrier(); }), SizeIs(0));  // no polls: the k-th is the k-th
}

TEST(Polls, TheOneThatSucceedsTakesThePlaceOfAll) {
  const auto run = [](int rounds, bool second) {
    return normalized(2, [=](Process& p) {
      p.irecv(1, 1);
      for (int i = 0; i < rounds; ++i) {
        p.call("MPI_Iprobe", {kAny, 8, p.comm(), 0, Ints{}}, 500);
        p.call("MPI_Test", {p.request(1), 0, Ints{}}, 500);
        p.call("MPI_Wtime", {}, 500);
      }
      if (second) p.call("MPI_Iprobe", {kAny, 8, p.comm(), 0, Ints{}}, 500);
      if (second)
        p.call("MPI_Test", {p.request(1), 1, Ints{}}, 500);
      else
        p.call("MPI_Iprobe", {kAny, 8, p.comm(), 1, Ints{1, 8}}, 500);
    });
  };
  EXPECT_THAT(texts(run(0, false)), ElementsAre(HasSubstr("Irecv"), HasSubstr("flag=1")));
  EXPECT_EQ(texts(run(0, false)), texts(run(3, false)));
  EXPECT_EQ(texts(run(0, true)), texts(run(3, true)));
  EXPECT_THAT(sources(run(3, false)), ElementsAre(1));
  EXPECT_THAT(sources(run(3, true)), ElementsAre());
  const auto polled = run(3, false);
  EXPECT_EQ(polled.locations[0].matches[0].call, 2u);
  EXPECT_NEAR(polled.locations[0].gap_s[2], 10 * 500e-9, 1e-12);
}

TEST(Polls, CallsBetweenStayWhereNothingRepeats) {
  const auto run = normalized(1, [](Process& p) {
    p.irecv(0, 1), p.irecv(0, 2);
    p.call("MPI_Test", {p.request(1), 0, Ints{}});
    for (int i = 0; i < 2; ++i) p.call("MPI_Wtime", {});
    p.call("MPI_Test", {p.request(2), 1, Ints{}});
    p.wait(1);
  });
  EXPECT_THAT(texts(run), ElementsAre(HasSubstr("Irecv"), HasSubstr("Irecv"), HasSubstr("Wtime"), HasSubstr("Wtime"),
                                      HasSubstr("flag=1"), HasSubstr("Wait")));
}

TEST(Matches, OfReceivesProbesAndRequests) {
  const auto run = normalized(4, [](Process& p) {
    if (p.rank() != 0) return;
    p.recv(kAny, 0, 4, 7, {3, 7});
    p.irecv(kAny, 1);
    p.irecv(2, 2, 100);
    p.irecv(kAny, 3, 200);
    p.call("MPI_Probe", {kAny, kAnyTag, p.comm(), Ints{1, 9}});
    p.waitall({1, 2, 3}, {2, 7, 2, 7, 1, 7});
    p.irecv(kAny, 4);  // never completed
  });
  EXPECT_THAT(sources(run), ElementsAre(3, 2, 1, 1, kAny));
  EXPECT_EQ(run.locations[0].matches[1].call, 2u);
}

TEST(Answers, GoToWhoeverWrote) {
  const auto run = normalized(4, [](Process& p) {
    if (p.rank() != 0) return;
    for (const int worker : {2, 1, 3, 3}) {
      p.recv(kAny, 0, 4, 7, {worker, 7});
      p.send(worker);
    }
    for (const int worker : {1, 2, 3}) p.send(worker, 0, 4, 8);
  });
  EXPECT_THAT(answers(run), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0));
}

TEST(Answers, ToTheOneBeforeLast) {
  const auto run = normalized(4, [](Process& p) {
    if (p.rank() != 0) return;
    int last = 1;
    p.recv(kAny, 0, 4, 7, {last, 7});
    for (const int worker : {2, 1, 3, 2}) {
      p.recv(kAny, 0, 4, 7, {worker, 7});
      p.send(last);
      last = worker;
    }
  });
  EXPECT_THAT(answers(run), ElementsAre(0, 0, 2, 0, 2, 0, 2, 0, 2));
}

TEST(Answers, NotWhereOneGoesElsewhereOrAllGoToOne) {
  const auto run = [](int odd, int others) {
    return normalized(4, [=](Process& p) {
      if (p.rank() != 0) return;
      for (const int worker : {1, others, others, 1}) {
        p.recv(kAny, 0, 4, 7, {worker, 7});
        p.send(worker == odd ? 3 : worker);
      }
    });
  };
  EXPECT_THAT(answers(run(0, 2)), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(answers(run(2, 2)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(answers(run(0, 1)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Pools, TasksAndAStopForWhoeverAnswers) {
  const auto run = normalized(4, manager({.tasks = 10, .seed = 1}));
  ASSERT_THAT(run.pools, SizeIs(1));
  const auto& pool = run.pools[0];
  EXPECT_EQ(pool.manager, 0u);
  EXPECT_THAT(pool.workers, SizeIs(3));
  EXPECT_EQ(pool.body, 2u);
  EXPECT_THAT(pool.dispatches, SizeIs(13));
  std::size_t tasks = 0;
  for (const auto& worker : pool.workers) {
    tasks += worker.receives.size() - 1;
    EXPECT_GE(worker.numbers.back(), 10u);  // stops come last
  }
  EXPECT_EQ(tasks, 10u);
}

TEST(Pools, OfOtherShapes) {
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .workers_ask = true})).pools, SizeIs(1));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .stop_all_at_end = true})).pools, SizeIs(1));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .probe = true})).pools, SizeIs(1));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .payload = true})).pools, SizeIs(1));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .workers_ask = true, .payload = true, .probe = true})).pools,
              SizeIs(1));
}

TEST(Pools, NotWhereTheOrderMatters) {
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .wrong = Wrong::answers_next})).pools, SizeIs(0));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .wrong = Wrong::small_receive})).pools, SizeIs(0));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .wrong = Wrong::late_message})).pools, SizeIs(0));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .wrong = Wrong::barrier_inside})).pools, SizeIs(0));
  EXPECT_THAT(normalized(4, manager({.tasks = 9, .wrong = Wrong::two_at_first})).pools, SizeIs(0));
  EXPECT_THAT(normalized(2, manager({.tasks = 9})).pools, SizeIs(0));  // one worker: there is no other order
}

TEST(Pools, AreFoundAgainWhereExchangesBeforeThemWereReordered) {
  const auto strict = normalized(4, [](Process& p) {
    const int next = (p.rank() + 1) % p.ranks(), previous = (p.rank() + p.ranks() - 1) % p.ranks();
    if (p.rank() == 0) p.send(next, 0);
    p.recv(previous, 1000);
    if (p.rank() != 0) p.send(next, 0);
    manager({.tasks = 10, .seed = 1})(p);
  });
  const auto run = normalize::exchange(strict);
  EXPECT_EQ(run.exchanges, 4u);
  const auto symbol = [&](std::size_t l, std::uint64_t call) {
    return run.symbols[run.records[run.locations[l].calls[call]].symbol];
  };
  for (std::size_t i = 0; i < run.locations[0].matches.size(); ++i) {
    EXPECT_EQ(run.locations[0].matches[i].source, strict.locations[0].matches[i].source);
    EXPECT_EQ(symbol(0, run.locations[0].matches[i].call).key[1], kAny);
  }
  ASSERT_THAT(run.pools, SizeIs(1));
  for (const auto call : run.pools[0].dispatches) EXPECT_LE(symbol(0, call).key.back(), normalize::kPoolMark);
  for (const auto& worker : run.pools[0].workers)
    for (const auto call : worker.receives) {
      EXPECT_EQ(symbol(worker.location, call).function->name, "MPI_Recv");
      EXPECT_LE(symbol(worker.location, call).key.back(), normalize::kPoolMark);
    }
}

}  // namespace
}  // namespace skelgen::test
