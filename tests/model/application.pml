/* The stream of a rank: what its application enqueues, in order. It writes its border for an exchange, starts it,
 * finishes it, and reads its ghosts. */

inline store_ready(me, n) {
  for (i : 0 .. LINKS - 1) {
    if
    :: TARGET(i) == me -> RAISE(link[i].ready, n)
    :: else
    fi
  }
  i = 0
}

inline read_ghosts(me, n) {
  for (i : 0 .. LINKS - 1) {
    for (j : 0 .. CHUNKS - 1) {
      if
      :: TARGET(i) == me ->
         CHECK_STALE_READ(link[i].ghost[j], n);
         link[i].ghost[j] = EMPTY
      :: else
      fi
    }
  }
  i = 0
}

#define IN_FLIGHT_NOW(me) MINUS(rank[me].border, KERNEL(me, FINISH).sequence)

inline start(me) {
  d_step {
    !KERNEL(me, START).runs && IN_FLIGHT_NOW(me) < IN_FLIGHT ->
    rank[me].border = PLUS(rank[me].border, 1);
    launch(me, START)
  }
  READY(me)
}

inline read(me) {
  READY_LATE(me)
  d_step { !KERNEL(me, FINISH).runs -> read_ghosts(me, KERNEL(me, FINISH).sequence) }
#ifdef PROGRESS
  if
  :: me == watched -> progress_exchange_ended: skip
  :: else
  fi
#endif
}

proctype application(byte me) {
  FIRST_READY(me)
  do
#if defined(FUSED)
  :: start(me); read(me)
#elif defined(TWO_STREAMS)
  :: start(me)
#else
  :: start(me)
  :: d_step { !KERNEL(me, START).runs && IN_FLIGHT_NOW(me) > 0 -> launch(me, FINISH) }
     read(me)
#endif
  od
}

#ifdef TWO_STREAMS
proctype finishing_application(byte me) {
  do
  :: d_step { IN_FLIGHT_NOW(me) > 0 -> launch(me, FINISH) }
     read(me)
  od
}
#endif
