/** Origins of pages that may use the API of a daemon: `--cors`, and `cors` of the project file. */
import { Flags } from '@oclif/core';
import { findProjectFile } from '../../client/settings/project-file.ts';

export const corsFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'ORIGIN',
  description:
    'Let pages of this origin use the API in a browser; http://localhost:* is every port (or set STOCKROOM_CORS, or `cors` in .stockroom.json). Pages of applications need no permission. Repeatable.',
});

/** The origins of the flag, or else those of the project, unless the variable has some. */
export function selectCors(flag: readonly string[] | undefined): readonly string[] | undefined {
  if (flag !== undefined || process.env['STOCKROOM_CORS']) return flag;
  return findProjectFile(process.env, process.cwd()).file?.content.cors;
}
