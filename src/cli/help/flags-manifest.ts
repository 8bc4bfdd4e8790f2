/** File in dist/ with the flags of all commands by id, in the format of oclif's manifest. The build creates it. */
export const FLAGS_FILE = 'flags.json';
