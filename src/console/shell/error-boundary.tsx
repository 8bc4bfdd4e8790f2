/** A bug in one view must not take the others away. React has no such function, only the class. */
import { Component, type ReactNode } from 'react';
import { Empty } from '../ui/index.ts';

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? (
      this.props.children
    ) : (
      <Empty title="This view failed">{error.message}. Reload the page to try again.</Empty>
    );
  }
}
