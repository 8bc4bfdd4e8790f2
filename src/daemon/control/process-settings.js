/**
 * Flags of Node for a daemon process.
 *
 * `--v8-pool-size=0`: V8 uses as many threads for garbage collection as there are free cores, instead of always four. On a single core,
 * four threads block the event loop for up to 30 ms at a time, one thread for up to 20 ms.
 *
 * `--max-semi-space-size=16`: the young generation stays below 32 MB. By default it grows to 128 MB and never shrinks.
 *
 * `--heap-growing-percent=200`: V8 collects all garbage when the heap and the buffers of new rows have tripled. By default it lets them grow
 * by about a half: 14 collections in 40,000 creates instead of 3 (2026-11-25), and each delays the requests of a tenth of a second on a
 * single core. The p99 of creates from 16 connections is 12 to 15 ms with it, 16 to 18 ms without; the target is 15 ms. A daemon on a
 * database sets another value (limit-heap.ts).
 *
 * `--disable-sigusr1`: the signal does not open a debugger, through which every user of the machine could run code in the daemon.
 *
 * @type {readonly string[]}
 */
export const daemonNodeFlags = ['--v8-pool-size=0', '--max-semi-space-size=16', '--heap-growing-percent=200', '--disable-sigusr1'];

/**
 * Variables for a daemon process.
 *
 * `MALLOC_MMAP_THRESHOLD_`: glibc returns buffers of this size in bytes to the system when they are freed. Without a fixed size it keeps
 * them, which leaves some 200 MB allocated after a large import. Other C libraries ignore the variable.
 */
export const daemonEnvironment = { MALLOC_MMAP_THRESHOLD_: '262144' };
