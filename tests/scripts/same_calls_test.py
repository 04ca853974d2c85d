"""tests/mpi/outside/same_calls.py on texts as `skelgen dump` prints them: what is the same in another process is the same, and each argument that is
another one is found."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpi/outside"))
import same_calls  # noqa: E402

# Of two ranks: a grid, a column, an exchange and a sum.
CALLS = """MPI_Init()
MPI_Comm_split(comm=comm:0x44[{rank}/2], color=0, key={rank}, newcomm=comm:{comm}[{rank}/2])
MPI_Type_vector(count=8, blocklength=1, stride=8, oldtype=MPI_DOUBLE, newtype=type:{type}[64 in 456])
MPI_Type_commit(datatype=type:{type}[64 in 456])
MPI_Irecv(buf={buffer}, count=8, datatype=MPI_DOUBLE, source={other}, tag=7, comm=comm:{comm}[{rank}/2], request={first})
MPI_Isend(buf={buffer}, count=1, datatype=type:{type}[64 in 456], dest={other}, tag=7, comm=comm:{comm}[{rank}/2], request={second})
MPI_Test(request={first}, flag=0, status=[])
MPI_Waitall(array_of_requests=[{first} {second}], array_of_statuses=[])
MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf={buffer}, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=comm:{comm}[{rank}/2])
MPI_Comm_free(comm=comm:{comm}[{rank}/2])
MPI_Wtime()
MPI_Finalize()
"""
ONE = {"comm": "0x84", "type": "0x8c", "buffer": "0x5580", "first": "0x98", "second": "0x99"}
OTHER = {"comm": "0x85", "type": "0x8d", "buffer": "0x7fff", "first": "0xa1", "second": "0xa0"}


def dump(process, old="", new=""):
    """The text of both ranks with a change, which must be one."""
    lines = []
    for rank in range(2):
        text = CALLS.format(rank=rank, other=1 - rank, **process)
        if old not in text:
            raise AssertionError(f"no {old}")
        calls = text.replace(old, new).splitlines() if old else text.splitlines()
        lines += [f"{rank}.0 {i} {i}.500 0.100 1.250 {call}" for i, call in enumerate(calls)]
    return "\n".join(lines)


def difference(old, new, of=OTHER):
    return same_calls.first_difference(same_calls.forms(dump(ONE)), same_calls.forms(dump(of, old, new)))


class SameCalls(unittest.TestCase):
    def test_handles_and_addresses_of_another_process_are_the_same_calls(self):
        self.assertIsNone(difference("", ""))

    def test_tests_in_vain_and_clocks_are_not_compared(self):
        self.assertIsNone(difference("MPI_Test(request=0xa1, flag=0, status=[])\n", ""))
        self.assertIsNone(difference("MPI_Wtime()\n", ""))

    def test_tests_in_vain_do_not_count(self):
        self.assertIsNone(difference("MPI_Irecv(", "MPI_Iprobe(source=0, tag=1, comm=comm:0x44[0/2], flag=0, status=[])\nMPI_Irecv("))

    def test_other_handles_are_known_by_the_call_that_made_them_last(self):
        def groups(one, other, frees=True):
            free = "MPI_Group_free(group={})" if frees else "MPI_Group_size(group={}, size=1)"
            calls = [f"MPI_Comm_group(comm=comm:0x44[{{0}}/2], group={one})", free.format(one), f"MPI_Group_incl(group=0x7, n=1, ranks=[0], newgroup={other})",
                     f"MPI_Group_union(group1={other}, group2=0x7, newgroup=0x9)"]
            return same_calls.forms("\n".join(f"{rank}.0 0 0 0 0 {call.format(rank)}" for rank in range(2) for call in calls))

        self.assertEqual(groups("0x1", "0x1"), groups("0x1", "0x2"))
        self.assertEqual(groups("0x1", "0x1", frees=False), groups("0x1", "0x2", frees=False))
        self.assertIn("group1=group#3", groups("0x1", "0x1")[0][3])

    def test_each_argument_is_compared(self):
        for old, new in [("source=", "source=-"), ("tag=7", "tag=8"), ("count=8, datatype", "count=9, datatype"), ("datatype=MPI_DOUBLE, source", "datatype=MPI_LONG, source"),
                         ("op=MPI_SUM", "op=MPI_MAX"), ("sendbuf=MPI_IN_PLACE", "sendbuf=0x7000"), ("recvbuf=0x7fff", "recvbuf=0x7ffe"), ("key=", "key=1"), ("stride=8", "stride=9"),
                         ("MPI_Isend", "MPI_Issend"), ("MPI_Finalize()", "MPI_Finalize() failed: error class 6")]:
            self.assertIsNotNone(difference(old, new), new)

    def test_datatypes_are_compared_by_how_they_were_made(self):
        rank, number, one, other = difference("stride=8", "stride=9")
        self.assertEqual((rank, number), (0, 2))
        self.assertIn("stride=8", one)
        self.assertIn("stride=9", other)

    def test_the_order_of_requests_is_compared(self):
        rank, number, one, other = difference("[0xa1 0xa0]", "[0xa0 0xa1]")
        self.assertEqual((rank, number), (0, 6))
        self.assertIn("array_of_requests=5 6", one)
        self.assertIn("array_of_requests=6 5", other)

    def test_communicators_are_compared_by_members(self):
        rank, number, one, other = difference("op=MPI_SUM, comm=comm:0x85[", "op=MPI_SUM, comm=comm:0x44[")
        self.assertEqual((rank, number), (0, 7))
        self.assertIn("comm={0 1}#1", one)
        self.assertIn("comm={0 1}#0", other)

    def test_members_that_only_other_ranks_know_of_are_compared(self):
        # On each rank by itself a half of one rank looks like any other of one.
        def halves(low, high):
            return "\n".join(f"{r}.0 0 0 0 0 MPI_Comm_split(comm=comm:0x44[{r}/4], color={r // 2}, key={key}, newcomm=comm:0x84[{key}/2])" for r, key in enumerate(low + high))

        def members(text):
            return [calls[0].split(" -> ")[1] for calls in same_calls.forms(text)]

        self.assertEqual(members(halves([0, 1], [0, 1])), ["{0 1}#0", "{0 1}#0", "{2 3}#0", "{2 3}#0"])
        self.assertEqual(members(halves([0, 1], [1, 0])), ["{0 1}#0", "{0 1}#0", "{3 2}#0", "{3 2}#0"])

    def test_a_missing_call_or_one_too_many_is_found(self):
        self.assertEqual(difference("MPI_Finalize()\n", "")[3], "nothing")
        self.assertEqual(difference("MPI_Finalize()\n", "MPI_Finalize()\nMPI_Finalize()\n")[2], "nothing")

    def test_shared_handles_end_oldest_first(self):
        # MPICH gives operations that are complete at once the same handle.
        self.assertIsNone(difference("", "", OTHER | {"first": "0xa0"}))

    def test_what_cannot_be_known_is_not_called_the_same(self):
        for old, new in [("request=0xa1)", "request=0xa7)"), ("MPI_Comm_split(comm=", "MPI_Comm_create_group(comm=")]:
            with self.assertRaises(same_calls.Unjudged):
                same_calls.forms(dump(OTHER, old, new))


if __name__ == "__main__":
    unittest.main()
