// Preloaded into a daemon (`node --import`) so that its clock differs by TEST_CLOCK_SKEW_MS wherever Date says what time it is.
const skewMs = Number(process.env['TEST_CLOCK_SKEW_MS'] ?? 0);

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [target.now() + skewMs] : args, newTarget) as Date,
  get: (target, name): unknown => (name === 'now' ? () => target.now() + skewMs : Reflect.get(target, name)),
});
