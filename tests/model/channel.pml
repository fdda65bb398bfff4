/* The channel protocol of runtime/transport/protocol.md as it runs on GPUs: words in each other's memory, data
 * moved by kernels of many blocks. README.md says what each part stands for; rules.pml holds the rules,
 * topology.pml the ranks. A step of a process is one d_step: others see all of it or nothing. */

#include "topology.pml"
#include "rules.pml"

/* A chunk of data holds the number of its message, or: */
#define EMPTY 254 /* nothing that anybody still has to read */
#define TORN 255  /* being written */

typedef Link {
  byte slot[2 * CHUNKS]; /* at the receiver: landing buffers */
  byte ghost[CHUNKS];    /* at the receiver */
  byte arrived[CHUNKS];  /* at the receiver, written by the sender */
  byte consumed;         /* at the sender, written by the receiver */
  byte ready;            /* at the sender, written by the receiver */
  bool to_pack[CHUNKS];  /* this block was launched and has not begun */
  bool to_unpack[CHUNKS];
}

typedef Kernel {
  byte sequence; /* exchanges that this kernel has done; in device memory, where a captured graph reads it */
  byte launched; /* blocks of the kernel that runs */
  byte ended;    /* of these */
  byte placed;   /* of these, those that a multiprocessor has taken (only with RESIDENT) */
  bool runs;
}

typedef Rank {
  byte border; /* the exchange that it was written for */
  Kernel kernel[KERNELS];
}

Link link[LINKS];
Rank rank[RANKS];
#ifdef PROGRESS
byte watched; /* any rank, chosen at the beginning: it must end exchanges for ever */
#endif
hidden byte i; /* scratch within one step */
hidden byte j;

#define KERNEL(r, which) rank[r].kernel[which]
#define NEXT(r, which) PLUS(KERNEL(r, which).sequence, 1)

#define CHECK_BORDER(r, n) assert(rank[r].border == n)
#define CHECK_STALE_READ(data, n) assert(data == n)
#define CHECK_OVERWRITE_BEFORE_READ(data) assert(data == EMPTY)
/* A sender is at most one message ahead of the one that its receiver waits for. (Mutants do without: their data must
 * be found wrong.) */
#ifdef CHECK_WORDS
#define CHECK_AHEAD(l, n) assert(MINUS(n, NEXT(TARGET(l), FINISH)) <= 1)
#else
#define CHECK_AHEAD(l, n) skip
#endif
/* A word is only ever raised by one. */
#define RAISE(word, n) assert(word == MINUS(n, 1)); word = n

#include "kernels.pml"
#include "application.pml"

init {
  byte l;
  byte k;
  atomic {
    for (l : 0 .. LINKS - 1) {
      for (k : 0 .. 2 * CHUNKS - 1) { link[l].slot[k] = EMPTY; }
      for (k : 0 .. CHUNKS - 1) {
        link[l].ghost[k] = EMPTY;
        run pack(SOURCE(l), l, k);
        run unpack(TARGET(l), l, k);
      }
    }
    for (l : 0 .. RANKS - 1) {
      run application(l);
#ifdef TWO_STREAMS
      run finishing_application(l);
#endif
    }
    l = 0;
    k = 0;
#ifdef PROGRESS
    select(watched : 0 .. RANKS - 1)
#endif
  }
}
