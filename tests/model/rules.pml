/* The rules of the protocol, and beside each rule the mutants that break it. What is modelled is chosen with -D:
 * data goes by LANDING or DIRECT, kernels are FUSED or SPLIT (on one stream, or TWO_STREAMS). */

#if defined(LANDING) == defined(DIRECT) || defined(FUSED) == defined(SPLIT)
#error "define one of LANDING and DIRECT, and one of FUSED and SPLIT"
#endif

#ifndef CHUNKS
#define CHUNKS 2
#endif

/* Messages are numbered for ever, here modulo NUMBERS: every run is unbounded, and the states are few. A word is
 * raised by one at a time, and stays within -1 and 1 of what it is compared with (CHECK_AHEAD), so 4 is enough. */
#ifndef NUMBERS
#define NUMBERS 8
#endif
#define PLUS(n, d) (((n) + (d)) % NUMBERS)
#define MINUS(n, d) (((n) + NUMBERS - (d)) % NUMBERS)
#define AT_LEAST(word, n) (MINUS(word, n) < NUMBERS / 2)

/* Rule: two landing slots, used in turn. */
#ifdef MUTANT_ONE_SLOT
#define SLOT(n) 0
#else
#define SLOT(n) ((n) % 2)
#endif

/* Rule: where chunk k of message n is written, and the word that says that it may be. */
#ifdef LANDING
#define PLACE(l, n, k) link[l].slot[SLOT(n) * CHUNKS + (k)]
#ifdef MUTANT_THREE_CREDITS
#define CREDIT(l, n) AT_LEAST(link[l].consumed, MINUS(n, 3))
#else
#define CREDIT(l, n) AT_LEAST(link[l].consumed, MINUS(n, 2))
#endif
#else
#define PLACE(l, n, k) link[l].ghost[k]
#define CREDIT(l, n) AT_LEAST(link[l].ready, n)
#endif

/* Rule: the sender waits for it. CREDIT_IS_FREE checks the claim of protocol.md that it never has to. */
#if defined(MUTANT_NO_CREDIT) || defined(MUTANT_NO_READY) || defined(CREDIT_IS_FREE)
#define MAY_SEND(l, n) true
#else
#define MAY_SEND(l, n) CREDIT(l, n)
#endif
#ifdef CREDIT_IS_FREE
#define CHECK_CREDIT_IS_FREE(l, n) assert(CREDIT(l, n))
#else
#define CHECK_CREDIT_IS_FREE(l, n) skip
#endif

/* Rule: arrived is stored after the chunk (release), */
#ifdef MUTANT_ARRIVED_BEFORE_DATA
#define STORE_ARRIVED_EARLY(l, n, k) RAISE(link[l].arrived[k], n)
#define STORE_ARRIVED(l, n, k) skip
#else
#define STORE_ARRIVED_EARLY(l, n, k) skip
#define STORE_ARRIVED(l, n, k) RAISE(link[l].arrived[k], n)
#endif

/* and each chunk's own word is awaited before the chunk is read (acquire). */
#ifdef MUTANT_ONE_ARRIVED
#define HAS_ARRIVED(l, n, k) AT_LEAST(link[l].arrived[0], n)
#else
#define HAS_ARRIVED(l, n, k) AT_LEAST(link[l].arrived[k], n)
#endif

/* Rule: the last block stores consumed, to every sender, */
#define NOBODY 0
#define FIRST_BLOCK 1
#define LAST_BLOCK 2
#ifdef MUTANT_CONSUMED_BEFORE_UNPACK
#define STORE_CONSUMED_EARLY(l, n) link[l].consumed = n
#define CONSUMED_BY NOBODY
#else
#define STORE_CONSUMED_EARLY(l, n) skip
#ifdef MUTANT_CONSUMED_BY_FIRST_BLOCK
#define CONSUMED_BY FIRST_BLOCK
#else
#define CONSUMED_BY LAST_BLOCK
#endif
#endif
#if defined(MUTANT_CONSUMED_NOT_STORED) || defined(DIRECT)
#define GIVES_CREDIT(l) false
#elif defined(MUTANT_CONSUMED_TO_ONE_SENDER)
#define GIVES_CREDIT(l) ((l) == 0)
#else
#define GIVES_CREDIT(l) true
#endif

/* and the last block advances the sequence. */
#ifdef MUTANT_SEQUENCE_BY_FIRST_BLOCK
#define SEQUENCE_BY FIRST_BLOCK
#else
#define SEQUENCE_BY LAST_BLOCK
#endif

/* Rule: the receiver stores ready = n when its stream reaches the start of exchange n, so after it has read the
 * ghosts of exchange n - 1, and before it waits for data. */
#define FIRST_READY(me)
#define READY(me)
#define READY_LATE(me)
#if defined(DIRECT) && defined(MUTANT_READY_AT_END)
#undef READY_LATE
#define READY_LATE(me) d_step { !KERNEL(me, FINISH).runs -> store_ready(me, rank[me].border) };
#elif defined(DIRECT) && defined(MUTANT_READY_BEFORE_READ)
#undef FIRST_READY
#define FIRST_READY(me) d_step { store_ready(me, 1) };
#undef READY_LATE
#define READY_LATE(me) d_step { !KERNEL(me, FINISH).runs -> store_ready(me, PLUS(rank[me].border, 1)) };
#elif defined(DIRECT)
#undef READY
#define READY(me) d_step { store_ready(me, rank[me].border) };
#endif

/* Rule: one exchange at a time when FUSED or DIRECT, at most two with landing slots. More is a mutant. */
#ifndef IN_FLIGHT
#if defined(LANDING) && defined(SPLIT)
#define IN_FLIGHT 2
#else
#define IN_FLIGHT 1
#endif
#endif

/* Rule: pack blocks are placed before those that wait for data. With RESIDENT only that many blocks of a kernel
 * (with SHARED_DEVICE: of both ranks) are on the device at a time. Only for ranks with one link each way. */
#ifdef MUTANT_UNPACK_BLOCKS_FIRST
#define PACK_INDEX(k) (CHUNKS + (k))
#define UNPACK_INDEX(k) (k)
#else
#define PACK_INDEX(k) (k)
#define UNPACK_INDEX(k) (CHUNKS + (k))
#endif
#define NOW_PLACED(me, which) (KERNEL(me, which).placed - KERNEL(me, which).ended)
#ifdef SHARED_DEVICE
#define HAS_ROOM(me, which) (NOW_PLACED(0, which) + NOW_PLACED(1, which) < RESIDENT)
#else
#define HAS_ROOM(me, which) (NOW_PLACED(me, which) < RESIDENT)
#endif
#ifdef RESIDENT
#define MAY_BE_PLACED(me, which, index) (KERNEL(me, which).placed == (index) && HAS_ROOM(me, which))
#define HAS_PLACE(me, which, index) (KERNEL(me, which).placed > (index))
#else
#define HAS_PLACE(me, which, index) true
#endif

/* The kernels of a rank, each with its own sequence word. */
#define START 0
#ifdef FUSED
#define KERNELS 1
#define FINISH START
#else
#define KERNELS 2
#define FINISH 1
#endif
