/** Whether this is the executable that contains the whole program, and not Node with a script. */
export const isSingleExecutable = (): boolean => process.getBuiltinModule('node:sea').isSea();
