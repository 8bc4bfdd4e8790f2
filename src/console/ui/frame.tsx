/** The frame of every view: title, actions, tabs and filters above its content, and details beside it. */
import { type ReactNode, createContext, useContext } from 'react';
import type { Sample } from '../api/index.ts';
import { ShowAs } from './show-as.tsx';
import { LinkTabs } from './tabs.tsx';

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

/** Titles of the tabs of the open view, by their paths. */
export const ViewTabs = createContext<Readonly<Record<string, string>>>({});

export const Frame = ({ title, count, samples, actions, tabs, toolbar, isScrolling = false, aside, children }: FrameProps) => (
  <div className="relative flex min-h-0 flex-1">
    <div className={`flex min-w-0 flex-1 flex-col gap-3 px-side pt-4 max-sm:pt-3 ${isScrolling ? 'overflow-y-auto pb-6' : ''}`}>
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h1 dir="auto">
          {title} {count !== undefined && <span className="text-sm font-normal tracking-[0] text-soft">{count.toLocaleString()}</span>}
        </h1>
        <div className="actions max-sm:[&>.quiet>span]:sr-only">
          <ShowAs samples={samples} />
          {actions}
        </div>
      </header>
      <LinkTabs label={title} paths={useContext(ViewTabs)} />
      {tabs}
      {toolbar && <div className="actions">{toolbar}</div>}
      {children}
    </div>
    {aside}
  </div>
);
