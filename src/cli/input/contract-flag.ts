/** The contract of a daemon that a command starts. */
import { Flags } from '@oclif/core';
import { findProjectFile } from '../../client/settings/project-file.ts';
import { CONTRACTS, type ContractMode } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import { invalidValueError } from '../errors/failure.ts';

export const contractFlag = Flags.option({
  options: CONTRACTS,
  description:
    'strict: only what the given contract has, without the extensions of stockroom. Default: extended, or that of the project file.',
})();

/** That of the project file, if it has one. */
export function findProjectContract(env: Env, cwd: string): ContractMode | undefined {
  const { file } = findProjectFile(env, cwd);
  const text = file?.content.contract;
  if (file === undefined || text === undefined) return undefined;
  const contract = CONTRACTS.find((each) => each === text);
  if (contract === undefined) throw invalidValueError(`"contract" in ${file.path}`, text, CONTRACTS);
  return contract;
}
