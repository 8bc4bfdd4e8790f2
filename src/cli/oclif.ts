/** What the launcher and the build need of oclif and the command line. The bundle contains one copy, which all commands share. */
export { handle, Plugin, run, settings } from '@oclif/core';
export { moveLeadingFlags } from '../platform/leading-flags.ts';
