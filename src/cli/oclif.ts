/** The parts of oclif for the launcher and the build. The bundle contains one copy, which all commands share. */
export { handle, Plugin, run, settings } from '@oclif/core';
