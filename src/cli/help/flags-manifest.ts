import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Interfaces } from '@oclif/core';

/** File in dist/ with the flags of all commands by id, in the format of oclif's manifest. The build creates it. */
export const FLAGS_FILE = 'flags.json';

type Flags = Command.Loadable['flags'];

/** Reads the flags of a command, which the manifest does not contain. */
export function readFlags({ root }: Pick<Interfaces.Config, 'root'>, id: string): Flags {
  const all = JSON.parse(readFileSync(join(root, 'dist', FLAGS_FILE), 'utf8')) as Record<string, Flags>;
  return all[id] ?? {};
}
