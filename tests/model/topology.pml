/* Who sends to whom. Each directed link has a number; SOURCE and TARGET say which ranks it joins. A two-way
 * neighborhood is two links. One of these is chosen with -D. */

#if defined(TWO_WAY)        /* 0 <-> 1 */
#define RANKS 2
#define LINKS 2
#define SOURCE(l) (l)
#define TARGET(l) (1 - (l))
#elif defined(ONE_WAY)      /* 0 -> 1: rank 0 only sends, rank 1 only receives */
#define RANKS 2
#define LINKS 1
#define SOURCE(l) 0
#define TARGET(l) 1
#elif defined(RING)         /* 0 -> 1 -> 2 -> 0 */
#define RANKS 3
#define LINKS 3
#define SOURCE(l) (l)
#define TARGET(l) (((l) + 1) % 3)
#elif defined(TWO_WAY_RING) /* a periodic axis: links 0 to 2 go right, 3 to 5 left */
#define RANKS 3
#define LINKS 6
#define SOURCE(l) ((l) % 3)
#define TARGET(l) ((l) < 3 -> ((l) + 1) % 3 : ((l) + 2) % 3)
#elif defined(ONE_WAY_LINK) /* 0 <-> 1 <- 2: rank 2 only sends, rank 1 receives from two */
#define RANKS 3
#define LINKS 3
#define SOURCE(l) (l)
#define TARGET(l) ((l) == 1 -> 0 : 1)
#else
#error "define TWO_WAY, ONE_WAY, RING, TWO_WAY_RING or ONE_WAY_LINK"
#endif
