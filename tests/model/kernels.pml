/* The kernels of a rank. Each block is a process, one per link and chunk, that runs once per launch. */

inline store_consumed(me, n) {
  for (i : 0 .. LINKS - 1) {
    if
    :: TARGET(i) == me && GIVES_CREDIT(i) -> RAISE(link[i].consumed, n)
    :: else
    fi
  }
  i = 0
}

/* What the last block of a kernel does, and the end of the kernel. */
inline end_kernel(me, which) {
  if
  :: which == FINISH && CONSUMED_BY == LAST_BLOCK -> store_consumed(me, NEXT(me, which))
  :: else
  fi;
  if
  :: SEQUENCE_BY == LAST_BLOCK -> KERNEL(me, which).sequence = NEXT(me, which)
  :: else
  fi;
  KERNEL(me, which).ended = 0;
  KERNEL(me, which).placed = 0;
  KERNEL(me, which).runs = false
}

/* What the first block to end must not do. */
inline misbehave(me, which) {
  if
  :: which == FINISH && CONSUMED_BY == FIRST_BLOCK -> store_consumed(me, NEXT(me, which))
  :: else
  fi;
  if
  :: SEQUENCE_BY == FIRST_BLOCK -> KERNEL(me, which).sequence = NEXT(me, which)
  :: else
  fi
}

/* The end of a block: an atomic counter tells the last one that it is. */
inline count_out(me, which) {
  KERNEL(me, which).ended++;
  if
  :: KERNEL(me, which).ended == 1 -> misbehave(me, which)
  :: else
  fi;
  if
  :: KERNEL(me, which).ended == KERNEL(me, which).launched -> end_kernel(me, which)
  :: else
  fi
}

/* The stream reaches a kernel: all its blocks may run. One without blocks here has one that moves nothing. */
inline launch(me, which) {
  KERNEL(me, which).runs = true;
  KERNEL(me, which).launched = 0;
  for (i : 0 .. LINKS - 1) {
    for (j : 0 .. CHUNKS - 1) {
      if
      :: which == START && SOURCE(i) == me -> link[i].to_pack[j] = true; KERNEL(me, which).launched++
      :: else
      fi;
      if
      :: which == FINISH && TARGET(i) == me -> link[i].to_unpack[j] = true; KERNEL(me, which).launched++
      :: else
      fi
    }
  }
  i = 0;
  if
  :: KERNEL(me, which).launched == 0 -> end_kernel(me, which)
  :: else
  fi
}

proctype pack(byte me; byte l; byte k) {
  byte n;
  do
#ifdef RESIDENT
  :: d_step { link[l].to_pack[k] && MAY_BE_PLACED(me, START, PACK_INDEX(k)) -> KERNEL(me, START).placed++ }
#endif
#ifdef POLLS
  :: d_step { link[l].to_pack[k] && !MAY_SEND(l, NEXT(me, START)) -> skip }
#endif
  :: d_step {
       link[l].to_pack[k] && HAS_PLACE(me, START, PACK_INDEX(k)) && MAY_SEND(l, NEXT(me, START)) ->
       link[l].to_pack[k] = false;
       n = NEXT(me, START);
       CHECK_CREDIT_IS_FREE(l, n);
       CHECK_BORDER(me, n);
       CHECK_OVERWRITE_BEFORE_READ(PLACE(l, n, k));
       PLACE(l, n, k) = TORN;
       STORE_ARRIVED_EARLY(l, n, k)
     }
     d_step {
       CHECK_BORDER(me, n);
       CHECK_AHEAD(l, n);
       PLACE(l, n, k) = n;
       STORE_ARRIVED(l, n, k);
       n = 0;
       count_out(me, START)
     }
  od
}

proctype unpack(byte me; byte l; byte k) {
  byte n;
  do
#ifdef RESIDENT
  :: d_step { link[l].to_unpack[k] && MAY_BE_PLACED(me, FINISH, UNPACK_INDEX(k)) -> KERNEL(me, FINISH).placed++ }
#endif
#ifdef POLLS
  :: d_step { link[l].to_unpack[k] && !HAS_ARRIVED(l, NEXT(me, FINISH), k) -> skip }
#endif
  :: d_step {
       link[l].to_unpack[k] && HAS_PLACE(me, FINISH, UNPACK_INDEX(k)) && HAS_ARRIVED(l, NEXT(me, FINISH), k) ->
       link[l].to_unpack[k] = false;
       n = NEXT(me, FINISH);
#ifdef LANDING
       CHECK_STALE_READ(PLACE(l, n, k), n);
       CHECK_OVERWRITE_BEFORE_READ(link[l].ghost[k]);
       link[l].ghost[k] = TORN;
       STORE_CONSUMED_EARLY(l, n)
     }
     d_step {
       CHECK_STALE_READ(PLACE(l, n, k), n);
       PLACE(l, n, k) = EMPTY;
       link[l].ghost[k] = n;
#endif
       n = 0;
       count_out(me, FINISH)
     }
  od
}
