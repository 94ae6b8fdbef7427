import type { ComponentChildren } from 'preact';
import { words } from '../i18n';
import { ticketed } from '../login';
import { refusal } from './refusal';

interface DownloadProps {
  href: string;
  name: string;
  class?: string;
  title?: string;
  onClick?: (link: HTMLElement) => void;
  children: ComponentChildren;
}

async function download(href: string, name: string): Promise<void> {
  try {
    const link = document.createElement('a');
    link.href = await ticketed(href);
    link.download = name;
    link.click();
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    refusal.value = words.peek().failed(name, why);
  }
}

/** A file of any size, straight to the disk: the browser fetches it, with a ticket instead of the tab's secret. */
export function DownloadLink({ href, name, class: look, title, onClick, children }: DownloadProps) {
  return (
    <a
      class={look}
      href={href}
      title={title}
      download={name}
      onClick={(event) => {
        event.preventDefault();
        onClick?.(event.currentTarget);
        void download(href, name);
      }}
    >
      {children}
    </a>
  );
}
