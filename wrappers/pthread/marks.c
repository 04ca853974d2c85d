/* What a program says by skel_mark.h. */
#include "record.h"
#include "skel_mark.h"

SKEL_EXPORT void skel_mark_event(int what, unsigned long id, unsigned long bytes);

SKEL_EXPORT void skel_mark_event(int what, unsigned long id, unsigned long bytes) {
  struct skel_stream* const s = skel_stream();
  if (!s) return;
  struct skel_thread* const t = skel_thread_of(s);
  const struct skel_span now = skel_begin(s);
  const struct skel_span since = t->waits_since ? (struct skel_span){t->waits_since, t->waits_work} : now;
  unsigned call = 0;
  switch (what) {
    case SKEL_MARK_WAIT_BEGIN:
      t->waits_since = now.ticks;
      t->waits_work = now.work;
      return;
    case SKEL_MARK_WAIT_END:
      t->waits_since = 0;
      call = SKEL_CALL(SKT_MARK, SKT_WAIT, 0) | skel_if_long(since);
      skel_record_span(s, call, id, 0, SKEL_SITE, since, now, 0);
      return;
    case SKEL_MARK_SIGNAL:
      call = SKEL_CALL(SKT_MARK, SKT_SIGNAL, 0);
      break;
    case SKEL_MARK_SEND:
      call = SKEL_CALL(SKT_MARK, SKT_SEND, 0);
      break;
    case SKEL_MARK_RECEIVE:
      call = SKEL_CALL(SKT_MARK, SKT_RECEIVE, 0);
      break;
    default:
      return;
  }
  skel_record_span(s, call, id, 0, SKEL_SITE, now, now, bytes);
}
