/**
 * Flags of Node for a daemon process.
 *
 * `--v8-pool-size=0`: V8 uses as many threads for garbage collection as there are free cores, instead of always four. On a single core,
 * four threads block the event loop for up to 30 ms at a time, one thread for up to 20 ms.
 *
 * `--min-semi-space-size=16`: the young generation starts at the size (in MB) that it reaches under load anyway. Growing it step by step
 * costs five garbage collections during a start, which find little garbage.
 *
 * @type {readonly string[]}
 */
export const daemonNodeFlags = ['--v8-pool-size=0', '--min-semi-space-size=16'];
