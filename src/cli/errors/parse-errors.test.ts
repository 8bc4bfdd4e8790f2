import { Args, Flags, type Interfaces, Parser } from '@oclif/core';
import { expect, test } from 'vitest';
import { integerFlag } from '../input/integer-flag.ts';
import { Failure, usageError } from './failure.ts';
import { toParseFailure, withValueChecks } from './parse-errors.ts';

const definitions = {
  args: {
    order_id: Args.string({ required: true, description: 'Id of the order.\nOr its number.' }),
    module: Args.string({ options: ['buy', 'sell'] }),
  },
  flags: {
    all: Flags.boolean({ exclusive: ['limit', 'page'] }),
    limit: integerFlag({ min: 1, exclusive: ['page'] }),
    page: integerFlag({ min: 1, max: 9 }),
    offset: integerFlag(),
    'no-color': Flags.boolean(),
    'order-date': Flags.string(),
    'order-id': Flags.string(),
    'is-active': Flags.boolean({ allowNo: true, aliases: ['active'] }),
    resume: Flags.boolean({ dependsOn: ['out'] }),
    out: Flags.string({ parse: (text) => (text === '' ? Promise.reject(usageError('--out must not be empty')) : Promise.resolve(text)) }),
    status: Flags.string({ options: ['draft', 'open'], multiple: true, multipleNonGreedy: true }),
  },
  baseFlags: { 'max-wait': integerFlag({ default: 60, exclusive: ['all'] }) },
};

async function parse(argv: readonly string[], { args, flags, baseFlags }: Partial<typeof definitions> = definitions): Promise<unknown> {
  const checked = withValueChecks({ args, flags, baseFlags });
  const input = { args: checked.args, flags: { ...checked.baseFlags, ...checked.flags } } as Interfaces.Input<object, object, object>;
  return Parser.parse([...argv], input).catch((error: unknown) =>
    toParseFailure(error, { command: 'orders get', argv, flags: { ...baseFlags, ...flags } }),
  );
}

test.for<[string, string, string?]>([
  ['', 'Missing required argument ORDER_ID'],
  ['x sell y z', 'Unexpected arguments: y, z'],
  ['x --limti', 'Unknown flag --limti', 'Did you mean --limit?'],
  ['x --stauts=open', 'Unknown flag --stauts', 'Did you mean --status?'],
  ['x --wait', 'Unknown flag --wait', 'Did you mean --max-wait?'],
  ['x --order=5', 'Unknown flag --order', 'Did you mean --order-date or --order-id?'],
  ['x --color red', 'Unknown flag --color'],
  ['x --limits', 'Unknown flag --limits', 'Did you mean --limit?'],
  ['--module sell', 'Unknown flag --module', 'MODULE is an argument: write its value without a flag'],
  ['x --tenant north', 'Unknown flag --tenant', 'The key decides the tenant: select the profile of another one with --profile'],
  ['x --no-colour', 'Unknown flag --no-colour', 'Did you mean --no-color?'],
  ['x --nonsense --absurd', 'Unknown flags --nonsense, --absurd'],
  ['x --stauts open', 'Unknown flag --stauts', 'Did you mean --status?'],
  ['x --order=5 --status opne', 'Unknown flag --order', 'Did you mean --order-date or --order-id?'],
  ['x nope', 'Invalid MODULE "nope". Valid modules: buy, sell'],
  ['x --status open --status opne', 'Invalid --status "opne". Valid values: draft, open', 'Did you mean open?'],
  ['x --limit 0', 'Invalid --limit "0". Expected an integer of at least 1'],
  ['x --page ten', 'Invalid --page "ten". Expected an integer from 1 to 9'],
  ['x --offset 1.5', 'Invalid --offset "1.5". Expected an integer'],
  ['x --out=', '--out must not be empty'],
  ['x --all --limit 5', '--all cannot be used with --limit'],
  ['x --all --limit 5 --page 2', '--all cannot be used with --limit; --all cannot be used with --page; --limit cannot be used with --page'],
  ['x --resume', '--resume requires --out'],
  ['x --limit', 'Flag --limit expects a value'],
  ['x buy --is-active false', 'Unexpected value "false" after --is-active', 'Write --is-active=false or --no-is-active'],
  ['x --active false', 'Unexpected value "false" after --active', 'Write --active=false or --no-active'],
  ['--is-active true x buy', 'Unexpected value "true" after --is-active', 'Write --is-active'],
  ['x buy --all false', 'Unexpected value "false" after --all', 'Omit --all'],
  ['x buy --is-active no', 'Unexpected argument: no'],
  ['x buy y --status false', 'Invalid --status "false". Valid values: draft, open'],
  ['x buy z -- --is-active false', 'Unexpected arguments: z, --is-active, false'],
])('"%s" is refused: %s', async ([line, message, hint = 'See `stockroom orders get --help`']) => {
  const failure = await parse(line.split(' ').filter(Boolean));
  if (!(failure instanceof Failure)) {
    // oclif's own message, reported with the hint of the command.
    expect((failure as Error).message).toBe(message);
    return;
  }
  expect([failure.message, failure.hint, failure.exit]).toEqual([message, hint, 2]);
});

test('a flag that another command has is refused with the hint for it', async () => {
  const parsed = Parser.parse(['--low-stock'], { flags: definitions.flags } as never);
  const failure = await parsed.catch((error: unknown) =>
    toParseFailure(error, { command: 'items list', argv: ['--low-stock'], flags: definitions.flags }),
  );
  expect(failure).toMatchObject({
    message: 'Unknown flag --low-stock',
    hint: 'List items that are low with `stockroom stock levels --low-stock`',
  });
});

test('missing flags and arguments are listed together', async () => {
  const required = {
    args: {},
    flags: { body: Flags.string({ required: true }), signature: Flags.string({ required: true }) },
    baseFlags: {},
  };
  expect(await parse([], required as never)).toMatchObject({ message: 'Missing required flags --body, --signature' });
  const format = { args: {}, flags: { format: Flags.string({ required: true, options: ['csv', 'json'] }) }, baseFlags: {} };
  expect(await parse([], format as never)).toMatchObject({ message: 'Missing required flag --format. Valid values: csv, json' });
  const args = { target: Args.string({ required: true }), name: Args.string({ required: true }) };
  expect(await parse([], { args, flags: {}, baseFlags: {} } as never)).toMatchObject({
    message: 'Missing required arguments TARGET, NAME',
  });
});

test('default values do not conflict, and valid values are parsed', async () => {
  expect(await parse(['x', 'sell', '--all', '--status=open'])).toMatchObject({
    args: { order_id: 'x', module: 'sell' },
    flags: { all: true, status: ['open'], 'max-wait': 60 },
  });
});
