/**
 * How Node is started for a daemon. V8 marks its heap in as many threads as there are cores to spare, instead of always four: where a
 * daemon has one core, four of them keep the event loop waiting up to 30 ms at a time, one up to 20.
 *
 * @type {readonly string[]}
 */
export const daemonFlags = ['--v8-pool-size=0'];
