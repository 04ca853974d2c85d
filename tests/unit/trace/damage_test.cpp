// What a reader says about traces that are not whole: each time one line with the file, what is wrong and what to do.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>

#include "skt_format.h"
#include "trace/file.h"
#include "unit/trace/small_trace.h"

namespace skelgen::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// What opening and reading everything fails with; "read" if it does not.
std::string complaint(const std::filesystem::path& directory, const trace::OpenOptions& options = {}) {
  try {
    read_all(directory, options);
    return "read";
  } catch (const Error& error) {
    return error.what();
  }
}

class Damage : public testing::Test {
 protected:
  void SetUp() override { write_small_trace(directory_.path()); }
  const std::filesystem::path& path() const { return directory_.path(); }

  /// A file of rank 1 whose only chunk of events has this payload, with correct checksums.
  void write_records(const std::vector<std::vector<std::uint64_t>>& records) {
    trace::Writer writer(path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1);
    for (const auto& record : records) writer.record(record);
    writer.finish();
  }
  /// Overwrites bytes of rank 1 and makes the file header's checksum right again if `seal`.
  template <typename T>
  void overwrite(std::size_t at, T value) {
    std::string bytes = read_bytes(directory_.rank(1));
    std::memcpy(bytes.data() + at, &value, sizeof value);
    write_bytes(directory_.rank(1), bytes);
  }

  Directory directory_;
};

TEST_F(Damage, NoSuchDirectory) {
  EXPECT_THAT(complaint(path() / "nowhere"),
              MatchesRegex(".*/nowhere: no such file or directory; give the directory .*"));
}
TEST_F(Damage, EmptyDirectory) {
  std::filesystem::create_directory(path() / "empty");
  EXPECT_THAT(complaint(path() / "empty"),
              MatchesRegex(".*/empty: not a skelgen trace: it has no meta.json; .*trace again"));
}
TEST_F(Damage, NoMeta) {
  std::filesystem::remove(path() / "meta.json");
  EXPECT_THAT(complaint(path()), HasSubstr("it has no meta.json; give the directory that skelgen trace wrote"));
  std::filesystem::create_directories(path() / "x.partial" / "run-1");
  EXPECT_THAT(
      complaint(path() / "x.partial"),
      MatchesRegex(".*/x.partial: skelgen trace writes there, [^;]*; what was recorded is in .*/x.partial/run-1"));
}
TEST_F(Damage, GarbageMeta) {
  for (const char* text : {"", "{", "[]", "null", "{\"format\":1}", "{\"format\":1,\"ranks\":-2,\"run_id\":\"1\"}",
                           "{\"format\":1,\"ranks\":2.5,\"run_id\":\"1\"}", "\xff\xfe{}"}) {
    write_bytes(path() / "meta.json", text);
    EXPECT_THAT(complaint(path()), HasSubstr("meta.json: this is not what skelgen writes there")) << text;
  }
  write_bytes(path() / "meta.json", R"({"format":1,"ranks":99999999999,"run_id":"000000005ca1ab1e"})");
  EXPECT_THAT(complaint(path()), HasSubstr("meta.json: 99999999999 ranks"));
  write_bytes(path() / "meta.json", R"({"format":9,"ranks":2,"run_id":"000000005ca1ab1e"})");
  EXPECT_THAT(complaint(path()), HasSubstr("trace format version 9, this skelgen reads version 1"));
}
TEST_F(Damage, MetaThatSaysSomethingElseThanRankZero) {
  std::string meta = read_bytes(path() / "meta.json");
  meta.replace(meta.find("\"application\":\"application\""), 27, "\"application\":\"applicatiom\"");
  write_bytes(path() / "meta.json", meta);
  EXPECT_THAT(complaint(path()), HasSubstr("meta.json: \"application\" is not what rank 0 recorded"));
}
TEST_F(Damage, NoRankFiles) {
  std::filesystem::remove(directory_.rank(0));
  std::filesystem::remove(directory_.rank(1));
  EXPECT_THAT(complaint(path()), HasSubstr("the trace is empty: no rank file; trace the program again"));
}
TEST_F(Damage, MissingRank) {
  std::filesystem::remove(directory_.rank(1));
  EXPECT_THAT(complaint(path()), HasSubstr("the file of rank 1 is missing (2 ranks); copy the whole directory"));
  const auto trace = trace::open(path(), {.allow_missing = true});
  EXPECT_EQ(trace.locations().size(), 1u);
  EXPECT_FALSE(trace.wall());
  EXPECT_THROW(read(trace, {1, 0}), Error);
}
TEST_F(Damage, MissingRankIsNamedAtScale) {
  trace::write_meta(path(), {.id = 0x5ca1ab1e, .ranks = 1'000'000});
  EXPECT_THAT(complaint(path()),
              HasSubstr("the files of ranks 2, 3, 4, 5, 6, 7, 8, 9, ... (999998 in all) are missing (1000000 ranks)"));
}
TEST_F(Damage, RankOfAnotherRun) {
  const trace::Run run{.id = 99, .ranks = 2};
  trace::Writer(path(), run, 1).finish();
  EXPECT_THAT(complaint(path()),
              MatchesRegex(".*rank-000001.skt: this file is of another run than meta.json; do not mix .*"));
}
TEST_F(Damage, RankUnderAnotherName) {
  std::filesystem::copy_file(directory_.rank(0), directory_.rank(1), std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: this file is of rank 0 of 2"));
}
TEST_F(Damage, MoreRanksThanTheRunHas) {
  std::filesystem::copy_file(directory_.rank(0), directory_.rank(2));
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000002.skt: the run of meta.json has only 2 ranks"));
}
TEST_F(Damage, EmptyFile) {
  write_bytes(directory_.rank(1), "");
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: the file is empty (byte 0); trace the program again"));
}
TEST_F(Damage, SomethingElse) {
  write_bytes(directory_.rank(1), std::string(4096, 'x'));
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: this is no skelgen record file (byte 0); "));
}
TEST_F(Damage, DirectoryInsteadOfAFile) {
  std::filesystem::remove(directory_.rank(1));
  std::filesystem::create_directory(directory_.rank(1));
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: this is no ordinary file"));
}
TEST_F(Damage, PipesInsteadOfFiles) {
  for (const std::string name : {"meta.json", "rank-000001.skt"}) {
    std::filesystem::remove(path() / name);
    ASSERT_EQ(mkfifo((path() / name).c_str(), 0600), 0);
    EXPECT_THAT(complaint(path()), HasSubstr(name + ": this is no ordinary file; give the directory of a trace"));
    std::filesystem::remove(path() / name);
    write_small_trace(path());
  }
}

TEST_F(Damage, FilesThatBecomeShorterWhileTheyAreRead) {
  const auto file = path() / "large";
  write_bytes(file, std::string(1 << 20, 'x'));
  const trace::Mapping mapping(file);
  std::filesystem::resize_file(file, 10);
  EXPECT_EQ(mapping.bytes()[0], 'x');
  EXPECT_EQ(mapping.bytes()[500'000], 0);
  EXPECT_EQ(mapping.bytes().back(), 0);
}

TEST_F(Damage, NamesThatWouldControlATerminal) {
  const trace::Run run{.id = 7, .ranks = 1, .application = "a\x1b[2Jb\x7f\xc2\x9b\xff\xe2\x82\xac"};
  Directory other;
  trace::write_meta(other.path(), run);
  trace::Writer writer(other.path(), run, 0);
  writer.datatype({static_cast<std::uint64_t>(kInt), 4, 4, "MPI\n\033_INT"});
  writer.call("MPI_Init", {}, 0, 0);
  writer.finish();
  const auto trace = trace::open(other.path());
  EXPECT_EQ(trace.application(), "a?[2Jb???\xef\xbf\xbd\xe2\x82\xac");
  struct : trace::Visitor {
    void event(const trace::Event&) override {}
    void datatype(const trace::DatatypeDefinition& definition) override { name = definition.name; }
    std::string name;
  } seen;
  trace.visit({0, 0}, seen);
  EXPECT_EQ(seen.name, "MPI??_INT");
}

TEST_F(Damage, OtherVersion) {
  overwrite(offsetof(skt_file_header, version), std::uint32_t{2});
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: record format version 2, this skelgen reads version 1"));
}
TEST_F(Damage, CutAnywhereSaysWhere) {
  const std::string whole = read_bytes(directory_.rank(1));
  write_bytes(directory_.rank(1), whole.substr(0, whole.size() - 1));
  EXPECT_THAT(complaint(path()), MatchesRegex(".*rank-000001.skt: the file is cut off.*\\(byte [0-9]+\\); .*"));
  write_bytes(directory_.rank(1), whole.substr(0, 20));
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: the file ends in its header (byte 20)"));
}
TEST_F(Damage, MoreBehindTheEnd) {
  const std::string whole = read_bytes(directory_.rank(1));
  write_bytes(directory_.rank(1), whole + "x");
  EXPECT_NE(complaint(path()), "read");
  write_bytes(directory_.rank(1), whole + std::string(64, '\0'));
  EXPECT_THAT(complaint(path()), HasSubstr("there is a hole in a file that was ended"));
}

TEST_F(Damage, KilledRankIsReadAsFarAsItCame) {
  {
    trace::Writer writer(path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1, {.chunk_bytes = 128});
    for (int i = 0; i < 50; ++i) writer.call("MPI_Barrier", {kWorld}, 10, 5);
    writer.abandon();
  }
  const auto trace = trace::open(path());
  EXPECT_TRUE(trace.rank_info()[0].ending.complete);
  EXPECT_FALSE(trace.rank_info()[1].ending.complete);
  EXPECT_EQ(read(trace, {1, 0}).lines.size(), 50u);
  EXPECT_FALSE(trace.wall());
  EXPECT_THAT(complaint(path(), {.allow_incomplete = false}),
              HasSubstr("rank-000001.skt: rank 1 ended before MPI_Finalize: its records are incomplete"));
}
TEST_F(Damage, RoomThatNeverBecameAChunkIsSkippedInAKilledRank) {
  trace::Writer writer(path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1, {.chunk_bytes = 128});
  for (int i = 0; i < 10; ++i) writer.call("MPI_Barrier", {kWorld}, 10, 5);
  writer.abandon();
  const std::string whole = read_bytes(directory_.rank(1));
  write_bytes(directory_.rank(1), whole + std::string(4096, '\0'));
  EXPECT_EQ(read(trace::open(path()), {1, 0}).lines.size(), 10u);
}
TEST_F(Damage, OpenChunkBesideAnEnd) {
  // A sealed chunk of a complete file is opened again: HEAD, EVNT, TAIL.
  const auto bytes = read_bytes(directory_.rank(1));
  skt_chunk_header head;
  std::memcpy(&head, bytes.data() + sizeof(skt_file_header), sizeof head);
  overwrite(sizeof(skt_file_header) + sizeof head + head.capacity + offsetof(skt_chunk_header, state),
            std::uint32_t{SKT_OPEN});
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: a chunk is open in a file that was ended"));
}
TEST_F(Damage, MissingChunk) {
  {
    trace::Writer writer(path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1, {.chunk_bytes = 64});
    for (int i = 0; i < 50; ++i) writer.call("MPI_Barrier", {kWorld}, 10, 5);
    writer.finish();
  }
  std::string bytes = read_bytes(directory_.rank(1));
  skt_chunk_header head;
  std::memcpy(&head, bytes.data() + sizeof(skt_file_header), sizeof head);
  bytes.erase(sizeof(skt_file_header) + sizeof head + head.capacity, sizeof head + 64);
  write_bytes(directory_.rank(1), bytes);
  EXPECT_THAT(complaint(path()), HasSubstr("rank-000001.skt: a chunk of thread 0 is missing"));
}
TEST_F(Damage, UnknownChunksAreSkipped) {
  std::string bytes = read_bytes(directory_.rank(1));
  skt_chunk_header head, extra{};
  std::memcpy(&head, bytes.data() + sizeof(skt_file_header), sizeof head);
  extra.type = 0x31323334;
  extra.state = SKT_SEALED;
  extra.capacity = extra.used = 16;
  const std::string payload(16, 'p');
  extra.checksum =
      trace::chunk_checksum(extra, {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()});
  bytes.insert(sizeof(skt_file_header) + sizeof head + head.capacity,
               std::string(reinterpret_cast<const char*>(&extra), sizeof extra) + payload);
  write_bytes(directory_.rank(1), bytes);
  EXPECT_EQ(complaint(path()), "read");
}

TEST_F(Damage, AbsurdLengthsAllocateNothing) {
  const std::uint64_t huge = std::uint64_t{1} << 60;
  write_records({{SKT_TAG_GROUP, 1, huge}});
  EXPECT_THAT(complaint(path()), HasSubstr("a length of 1152921504606846976 elements"));
  write_records({{SKT_TAG_FUNCTION, 0, huge}});
  EXPECT_THAT(complaint(path()), HasSubstr("a length of 1152921504606846976 elements"));
  write_records({{SKT_TAG_FUNCTION, huge, 1, 'x', 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("function number 1152921504606846976"));
  write_records({{SKT_TAG_FUNCTION, 0, 1, 'x', huge}});
  EXPECT_THAT(complaint(path()), HasSubstr("a length of"));
}
TEST_F(Damage, RecordsThatMakeNoSense) {
  write_records({{15}});
  EXPECT_THAT(complaint(path()), HasSubstr("a record of unknown kind 15"));
  write_records({{SKT_TAG_EVENT + 3, 0, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a call with the undefined signature 3"));
  write_records({{SKT_TAG_SIGNATURE, 0, 5}});
  EXPECT_THAT(complaint(path()), HasSubstr("a signature of an undefined function"));
  write_records({{SKT_TAG_SIGNATURE, 4, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("signature 4 is defined out of order"));
  write_records({{SKT_TAG_COMM, 1, 2, 6, 0, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a communicator of size 2 with rank 3"));
  write_records({{SKT_TAG_COMM, 1, 0xffffffffffffffff, 0, 0, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a communicator of size -1"));
  write_records({{SKT_TAG_PAUSE}});
  EXPECT_THAT(complaint(path()), HasSubstr("a record is cut off"));
}
TEST_F(Damage, DatatypesThatNoMachineHas) {
  const std::uint64_t far = std::uint64_t{1} << 62;  // zigzag: 2^61
  write_records({{SKT_TAG_DATATYPE, 1, 8, far, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a datatype of 4 bytes, 2305843009213693952 apart"));
  write_records({{SKT_TAG_DATATYPE, 1, 8, far - 1, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a datatype of 4 bytes, -2305843009213693952 apart"));
  write_records({{SKT_TAG_DATATYPE, 1, far, 8, 0}});
  EXPECT_THAT(complaint(path()), HasSubstr("a datatype of 2305843009213693952 bytes"));
  write_records({{SKT_TAG_DATATYPE, 1, 1, 8, 1, 'x'}});
  EXPECT_THAT(complaint(path()), HasSubstr("a datatype of -1 bytes"));
}
TEST_F(Damage, DeeplyNestedJson) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  std::string meta = read_bytes(path() / "meta.json");
  const std::string whole = meta;
  meta.insert(1, "\"mpi\":" + deep + ",");
  write_bytes(path() / "meta.json", meta);
  EXPECT_THAT(complaint(path()), HasSubstr("meta.json: this is not what skelgen writes there"));
  write_bytes(path() / "meta.json", whole);
  EXPECT_TRUE(trace::parse_object(R"({"a":[{"b":[1]}]})").is_object());
  EXPECT_TRUE(trace::parse_object("{\"a\":" + deep + "}").is_null());
  EXPECT_TRUE(trace::parse_object("[]").is_null());
}
TEST_F(Damage, FunctionWithOtherParameters) {
  write_records({{SKT_TAG_FUNCTION, 0, 11, 'M', 'P', 'I', '_', 'B', 'a', 'r', 'r', 'i', 'e', 'r', 1, 10, 1}});
  EXPECT_THAT(complaint(path()), HasSubstr("MPI_Barrier was recorded by another version of skelgen"));
}

}  // namespace
}  // namespace skelgen::test
