/** Why a file cannot be read or written, in words: the system's own name its codes and calls, and now and then a file of which nobody has heard. */

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'what should be a directory is a file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its links lead back to themselves',
  ENAMETOOLONG: 'its name is too long',
};

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'what should be a directory is a file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'there is no room left on the disk',
  EFBIG: 'it would become larger than files may be',
  EEXIST: 'there is a file of that name',
  ELOOP: 'its links lead back to themselves',
  ENAMETOOLONG: 'its name is too long',
};

const told = (reasons: Readonly<Record<string, string>>, error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;

export const whyUnreadable = (error: unknown): string => told(UNREADABLE, error);
export const whyUnwritable = (error: unknown): string => told(UNWRITABLE, error);

/** What a parser of JSON says of a text that is none. */
export const whyNoJson = (error: unknown): string => `it is not JSON (${(error as Error).message})`;
