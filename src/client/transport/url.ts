/** Whether a URL contains a user name or password. They are rejected, because URLs are printed in errors and settings. */
export function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
