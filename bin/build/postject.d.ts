declare module 'postject' {
  /** Writes a resource into an executable of any platform, in place. */
  export function inject(
    file: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName: string },
  ): Promise<void>;
}
