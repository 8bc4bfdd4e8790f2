/** Flags of commands that start a daemon, and what the project file says without them. */
import { Flags } from '@oclif/core';
import { findProjectFile } from '../../client/settings/project-file.ts';
import { CONTRACTS, type ContractMode } from '../../platform/daemon-state.ts';
import { invalidValueError } from '../errors/failure.ts';
import { valueList } from './common-flags.ts';

export const corsFlag = Flags.string({
  ...valueList,
  helpValue: 'ORIGIN,…',
  description:
    'Let pages of this origin use the API in a browser; http://localhost:* is every port (or set STOCKROOM_CORS, or `cors` in .stockroom.json). Pages of applications need no permission. Repeatable.',
});

/** The origins of pages that may use the API: those of the flag, or else those of the project, unless the variable has some. */
export function selectCors(flag: readonly string[] | undefined): readonly string[] | undefined {
  if (flag !== undefined || process.env['STOCKROOM_CORS']) return flag;
  return findProjectFile(process.env, process.cwd()).file?.content.cors;
}

export const contractFlag = Flags.option({
  options: CONTRACTS,
  description:
    'strict: only what the given contract has, without the extensions of stockroom. Default: extended, or that of the project file.',
})();

/** The contract of the flag, or else that of the project, if it has one. */
export function selectContract(flag: ContractMode | undefined): ContractMode | undefined {
  if (flag !== undefined) return flag;
  const { file } = findProjectFile(process.env, process.cwd());
  const text = file?.content.contract;
  if (file === undefined || text === undefined) return undefined;
  const contract = CONTRACTS.find((each) => each === text);
  if (contract === undefined) throw invalidValueError(`"contract" in ${file.path}`, text, CONTRACTS);
  return contract;
}
