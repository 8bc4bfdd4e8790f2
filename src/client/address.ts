/** Whether an address names a user or a password: the service asks for a key, and an address is shown in errors and settings. */
export function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
