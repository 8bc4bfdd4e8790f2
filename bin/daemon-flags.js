/**
 * How Node is started for a daemon.
 *
 * V8 marks its heap in as many threads as there are cores to spare, instead of always four: where a daemon has one core, four of them keep the
 * event loop waiting up to 30 ms at a time, one up to 20.
 *
 * The young generation begins with the size that it has under load anyway: grown step by step, it is looked through five times during a start,
 * in which nearly everything that was made is there to stay.
 *
 * @type {readonly string[]}
 */
export const daemonFlags = ['--v8-pool-size=0', '--min-semi-space-size=16'];
