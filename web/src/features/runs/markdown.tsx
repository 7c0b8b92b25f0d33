// Shows the Markdown of our own reports: headings, lists, tables, code and paragraphs. Anything else stays plain text.
import { createElement, Fragment, type ReactNode } from "react";

type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "table"; rows: string[][] }
  | { kind: "code"; text: string }
  | { kind: "text"; text: string };

export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      {parseBlocks(text).map((block, index) => (
        <Fragment key={index}>{shown(block)}</Fragment>
      ))}
    </div>
  );
}

function shown(block: Block): ReactNode {
  // The page has one h1 and its cards have h2.
  if (block.kind === "heading") return createElement(`h${Math.min(6, block.level + 2)}`, null, inline(block.text));
  if (block.kind === "code") return <pre className="text">{block.text}</pre>;
  if (block.kind === "text") return <p>{inline(block.text)}</p>;
  if (block.kind === "list")
    return (
      <ul className="bullets">
        {block.items.map((item, index) => (
          <li key={index}>{inline(item)}</li>
        ))}
      </ul>
    );
  const [head = [], ...rows] = block.rows;
  return (
    <div className="scrolls" data-scrolls tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index}>{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Return text with `code` and **strong** words. */
function inline(text: string): ReactNode[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (/^`[^`]+`$/.test(part)) return <code key={index}>{part.slice(1, -1)}</code>;
    if (/^\*\*[^*]+\*\*$/.test(part)) return <strong key={index}>{part.slice(2, -2)}</strong>;
    return part.replaceAll(/\\([\\`*_|[\]<>#-])/g, "$1");
  });
}

/** Return the blocks of a text. */
export function parseBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const fence = /^(`{3,})/.exec(line)?.[1];
    if (line.trim() === "") at += 1;
    else if (fence !== undefined) {
      const end = lines.findIndex((each, index) => index > at && each.startsWith(fence));
      const stop = end < 0 ? lines.length : end;
      blocks.push({ kind: "code", text: lines.slice(at + 1, stop).join("\n") });
      at = stop + 1;
    } else if (heading !== null) {
      blocks.push({ kind: "heading", level: heading[1]!.length, text: heading[2]! });
      at += 1;
    } else {
      const pattern = patternOf(line);
      const found: string[] = [];
      while (at < lines.length && pattern.test(lines[at]!)) found.push(lines[at++]!);
      blocks.push(blockOf(found));
    }
  }
  return blocks;
}

const ITEM = /^\s*(?:[-*]|\d+\.) /;
const TABLE = /^\|/;
const PLAIN = /^(?!\s*(?:[-*]|\d+\.) |\||#{1,6} |```)(?=.*\S)/;

function patternOf(line: string): RegExp {
  return ITEM.test(line) ? ITEM : TABLE.test(line) ? TABLE : PLAIN;
}

function blockOf(lines: readonly string[]): Block {
  const first = lines[0] ?? "";
  if (ITEM.test(first)) return { kind: "list", items: lines.map((line) => line.replace(ITEM, "")) };
  if (!TABLE.test(first)) return { kind: "text", text: lines.join(" ") };
  const rows = lines.filter((line) => !/^\|[\s:|-]+\|$/.test(line)).map(cellsOf);
  return { kind: "table", rows };
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
