/** Types of hapi's router package, which has none; only what is used here. */
declare module '@hapi/call' {
  export class Router<T> {
    add(config: { readonly method: string; readonly path: string }, route: T): void;
    /** Lets `route` return this, instead of creating an error, if no path matches or a parameter cannot be decoded. */
    special(type: 'notFound' | 'badRequest', route: undefined): void;
    /** `method` is in lower case. HEAD matches the routes of GET. */
    route(method: string, path: string): { readonly route: T | undefined; readonly params?: Readonly<Record<string, string>> };
  }
}
