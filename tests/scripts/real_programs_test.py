"""scripts/real-programs where programs hang or skelgen has nothing to say."""
import pathlib
import tempfile
import time
import unittest
import unittest.mock

from load import load

real = load("real-programs")
steps = real.steps


def has_ended(process):
    for _ in range(18000):
        try:
            if pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


class RealPrograms(unittest.TestCase):
    def test_a_step_that_takes_too_long_is_ended_with_all_it_started(self):
        done = steps.run(["sh", "-c", "(trap '' TERM; exec sleep 3600) & echo $!; echo 'skelgen: waits' >&2; exec sleep infinity"], 0.5)
        self.assertIsNone(done.status)
        self.assertEqual(done.said, "waits")
        self.assertTrue(has_ended(int(done.out)))

    def test_a_step_that_ends_in_time_has_its_status_and_output(self):
        self.assertEqual(steps.run(["sh", "-c", "echo one; exit 4"], 60), steps.Done(4, "one\n", ""))

    def test_a_trace_that_cannot_be_counted_is_a_row_that_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            fake = work / "skelgen"
            fake.write_text("#!/bin/sh\n[ $1 = info ] || exit 0\necho 'skelgen: t.trace: is damaged' >&2\nexit 1\n")
            fake.chmod(0o755)
            with unittest.mock.patch.object(steps, "SKELGEN", fake):
                self.assertEqual(real.check(real.Row("x", "mpich", 2, ["true"]), work, 60), (["info: t.trace: is damaged"], False))


if __name__ == "__main__":
    unittest.main()
