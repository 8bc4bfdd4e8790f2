import { expect, test } from 'vitest';
import { getFastProgram, getProgramName, toRunnableCommand, withProgramName } from './program-name.ts';

test.for([
  ['npx in a checkout', { npm_command: 'exec' }, '/opt/stockroom/bin/run.js', '/opt/stockroom', 'npx stockroom'],
  ['npx in a project', { npm_command: 'exec' }, '/home/me/shop/node_modules/.bin/stockroom', '/home/me/shop', 'npx stockroom'],
  ['npm start', { npm_command: 'start' }, '/opt/stockroom/bin/run.js', '/opt/stockroom', 'npx stockroom'],
  ['bin/run.js in the checkout', {}, '/opt/stockroom/bin/run.js', '/opt/stockroom/docs', 'npx stockroom'],
  ['a script of a project', { npm_command: 'run-script' }, '/home/me/shop/node_modules/.bin/stockroom', '/home/me/shop', 'npx stockroom'],
  ['an installed program', {}, '/usr/local/bin/stockroom', '/home/me', 'stockroom'],
  ['an alias', {}, '/opt/stockroom/bin/run.js', '/opt/stockroom-data', 'stockroom'],
] as const)('%s is named in a way that can be run again', ([, env, script, cwd, name]) => {
  expect(getProgramName(env, script, cwd)).toBe(name);
});

test('commands in backticks and on indented lines get the name of the program', () => {
  const env = { npm_command: 'exec' };
  expect(withProgramName('Run `stockroom demo`, see `stockroom --help`; stockroom is fine', env)).toBe(
    'Run `npx stockroom demo`, see `npx stockroom --help`; stockroom is fine',
  );
  expect(withProgramName('Text\n  stockroom items list -o id | xargs -n1 stockroom items get\n', env)).toBe(
    'Text\n  npx stockroom items list -o id | xargs -n1 npx stockroom items get\n',
  );
  const copy = '\n  npx stockroom migrate --from postgres://db/stockroom --to ./copy\n';
  expect(withProgramName(copy, env)).toBe(copy);
  const once = withProgramName('`stockroom demo`', env);
  expect(withProgramName(once, env)).toBe(once);
});

test('a command without backticks gets the name of the program, its arguments do not', () => {
  const command = "stockroom orders create --contact-id 'stockroom supplies' --line A:1";
  expect(toRunnableCommand(command, { npm_command: 'exec' })).toBe(`npx ${command}`);
  expect(toRunnableCommand(command, {})).toBe(command);
});

test.skipIf(process.platform === 'win32')('a checkout has a file that runs without npx, an installed program is fast already', () => {
  expect(getFastProgram({ npm_command: 'start' }, '/opt/stockroom/bin/run.js', '/opt/stockroom')).toBe('/opt/stockroom/bin/run.js');
  expect(getFastProgram({ npm_command: 'exec' }, '/home/me/shop/node_modules/.bin/stockroom', '/home/me/shop')).toBeUndefined();
  expect(getFastProgram({}, '/usr/local/bin/stockroom')).toBeUndefined();
});
