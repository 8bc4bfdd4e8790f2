/** Below dist/: the flags of every command by its id, in the form of oclif's manifest, from which the build takes them. */
export const FLAGS_FILE = 'flags.json';
