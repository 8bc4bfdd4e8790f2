/** hapi's router, which comes without types of its own: what is used of it here. */
declare module '@hapi/call' {
  export class Router<T> {
    add(config: { readonly method: string; readonly path: string }, route: T): void;
    /** What `route` returns when no path fits, or a parameter cannot be decoded, instead of making an error for it. */
    special(type: 'notFound' | 'badRequest', route: undefined): void;
    /** `method` in lower case; HEAD finds what GET does. */
    route(method: string, path: string): { readonly route: T | undefined; readonly params?: Readonly<Record<string, string>> };
  }
}
