/** Whether a header was sent more than once. Node joins the values of some headers, and uses the first value of others. */
export function isRepeatedHeader(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
