import { expect, test } from 'vitest';
import { countColors, explainDumbTerminal, shouldUseColor } from './style.ts';

const terminal = { isTTY: true };

test.each([
  [{ TERM: 'screen' }, 16],
  // Inside tmux, whose terminal need not have more.
  [{ TERM: 'screen', TMUX: '/tmp/tmux,1,0' }, 16],
  [{ TERM: 'linux' }, 16],
  [{ TERM: 'xterm' }, 16],
  [{ TERM: 'xterm-256color' }, 256],
  [{ TERM: 'screen-256color', TMUX: '/tmp/tmux,1,0' }, 256],
  [{ TERM: 'xterm', COLORTERM: 'truecolor' }, 256],
  [{ TERM: 'xterm-256color', FORCE_COLOR: '1' }, 16],
])('a terminal with %o has %i colors', (env, count) => {
  expect(countColors(env)).toBe(count);
});

test.each([{ TERM: 'dumb' }, { TERM: '' }, {}])('a terminal with %o prints escape sequences, so that it gets none', (env) => {
  expect(explainDumbTerminal(env, 'linux')).toMatch(/^TERM is /u);
  if (process.platform !== 'win32') expect(shouldUseColor(terminal, false, env)).toBe(false);
  expect(shouldUseColor(terminal, false, { ...env, FORCE_COLOR: '1' })).toBe(true);
});

test('Windows sets no TERM and interprets escape sequences', () => {
  expect(explainDumbTerminal({}, 'win32')).toBeNull();
});

test('a terminal gets colors unless they are switched off, other streams only if they are forced', () => {
  const env = { TERM: 'xterm' };
  expect(shouldUseColor(terminal, false, env)).toBe(true);
  expect(shouldUseColor(terminal, true, env)).toBe(false);
  expect(shouldUseColor(terminal, false, { ...env, NO_COLOR: '1' })).toBe(false);
  expect(shouldUseColor({}, false, env)).toBe(false);
  expect(shouldUseColor({}, false, { ...env, FORCE_COLOR: '1' })).toBe(true);
});
