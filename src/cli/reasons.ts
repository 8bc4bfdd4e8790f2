/** Why a file cannot be read or written, in words: the system's own name its codes and calls, and now and then a file of which nobody has heard. */

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'what should be a directory is a file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'what should be a directory is a file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
};

const told = (reasons: Readonly<Record<string, string>>, error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;

export const whyUnreadable = (error: unknown): string => told(UNREADABLE, error);
export const whyUnwritable = (error: unknown): string => told(UNWRITABLE, error);
