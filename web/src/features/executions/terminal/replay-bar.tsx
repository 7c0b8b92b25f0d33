// Replays the terminal of an ended execution: play, pause, speed, seek; or saves it.
import { useEffect, useRef, useState } from "react";

import { request } from "@/api/call-tool";
import { ErrorMessage } from "@/ui/form";
import { saveFile } from "@/ui/save-file";
import type { Emulator } from "./emulator";
import { type Playing, play, readCast } from "./replay";

const SPEEDS = [1, 4, 16];

export function ReplayBar({ id, emulator }: { id: string; emulator: Emulator }) {
  const address = `/api/executions/${encodeURIComponent(id)}/transcript`;
  const playing = useRef<Playing | null>(null);
  const speed = useRef(SPEEDS[0]!);
  const [shown, setShown] = useState(1);
  const [paused, setPaused] = useState(false);
  const [problem, setProblem] = useState<Error | string | null>(null);
  useEffect(() => () => playing.current?.pause(), []);
  const begin = async (): Promise<Playing | null> => {
    if (playing.current !== null) return playing.current;
    setProblem(null);
    try {
      const pieces = readCast(await (await request(address, { method: "GET" })).text(), id);
      if (pieces.length === 0) setProblem("There is no output to replay.");
      else playing.current ??= play(pieces, () => speed.current, emulator, setShown);
    } catch (error) {
      setProblem(error as Error);
    }
    return playing.current;
  };
  const hold = (on: boolean) => {
    if (on) playing.current?.pause();
    else playing.current?.resume();
    setPaused(on);
  };
  const save = async () => {
    setProblem(null);
    try {
      saveFile(await (await request(address, { method: "GET" })).blob(), `${id}.cast`);
    } catch (error) {
      setProblem(error as Error);
    }
  };
  const seek = async (part: number) => (await begin())?.seek(part);
  const restart = async () => {
    await seek(0);
    hold(false);
  };
  return (
    <div className="replay">
      <button type="button" className="button small" onClick={() => (shown >= 1 ? void restart() : hold(!paused))}>
        {shown >= 1 ? "Replay" : paused ? "Resume" : "Pause"}
      </button>
      <input
        type="range"
        min={0}
        max={1}
        step="any"
        value={shown}
        aria-label="Position"
        onChange={(event) => void seek(Number(event.target.value))}
      />
      <label>
        Speed{" "}
        <select
          className="field"
          defaultValue={SPEEDS[0]}
          onChange={(event) => (speed.current = Number(event.target.value))}
        >
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        className="button small"
        title="Save as an asciicast, which other players can open"
        onClick={() => void save()}
      >
        Save
      </button>
      <ErrorMessage error={problem} />
    </div>
  );
}
