/** The frame of every view: title, actions, tabs and filters above its content, and details beside it. */
import type { ReactNode } from 'react';
import type { Sample } from '../api/index.ts';
import { ShowAs } from './show-as.tsx';

export interface FrameProps {
  readonly title: string;
  readonly count?: number | undefined;
  readonly samples: readonly Sample[];
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  readonly toolbar?: ReactNode;
  readonly isScrolling?: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export const Frame = ({ title, count, samples, actions, tabs, toolbar, isScrolling = false, aside, children }: FrameProps) => (
  <div className="view">
    <div className={`view-main ${isScrolling ? 'scroll' : ''}`}>
      <header className="view-head">
        <h1 dir="auto">
          {title} {count !== undefined && <span className="count soft">{count.toLocaleString()}</span>}
        </h1>
        <div className="actions">
          <ShowAs samples={samples} />
          {actions}
        </div>
      </header>
      {tabs}
      {toolbar && <div className="actions">{toolbar}</div>}
      {children}
    </div>
    {aside}
  </div>
);
