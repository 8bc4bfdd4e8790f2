/** The part of oclif that the launcher and the build need; the bundle keeps it in the one copy that all commands share. */
export { handle, Plugin, run, settings } from '@oclif/core';
