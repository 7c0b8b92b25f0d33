// Plays an ended execution's terminal again: start, hold, faster, any part of it; or saves it.
import { useEffect, useRef, useState } from "react";

import { request } from "@/api/call-tool";
import { Refusal } from "@/ui/form";
import { saveFile } from "@/ui/save-file";
import type { Emulator } from "./emulator";
import { play, readCast, type Playing } from "./replay";

const SPEEDS = [1, 4, 16];

export function ReplayBar({ id, emulator }: { id: string; emulator: Emulator }) {
  const address = `/api/executions/${encodeURIComponent(id)}/transcript`;
  const playing = useRef<Playing | null>(null);
  const speed = useRef(SPEEDS[0]!);
  const [shown, setShown] = useState(1);
  const [held, setHeld] = useState(false);
  const [problem, setProblem] = useState<Error | string | null>(null);
  useEffect(() => () => playing.current?.pause(), []);
  const begin = async (): Promise<Playing | null> => {
    if (playing.current !== null) return playing.current;
    setProblem(null);
    try {
      const pieces = readCast(await (await request(address, { method: "GET" })).text());
      if (pieces.length === 0) setProblem("It showed nothing.");
      else playing.current ??= play(pieces, () => speed.current, emulator, setShown);
    } catch (error) {
      setProblem(error as Error);
    }
    return playing.current;
  };
  const hold = (on: boolean) => {
    if (on) playing.current?.pause();
    else playing.current?.goOn();
    setHeld(on);
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
  const again = async () => {
    await seek(0);
    hold(false);
  };
  return (
    <div className="replay">
      <button type="button" className="button small" onClick={() => (shown >= 1 ? void again() : hold(!held))}>
        {shown >= 1 ? "Replay" : held ? "Go on" : "Hold"}
      </button>
      <input
        type="range"
        min={0}
        max={1}
        step="any"
        value={shown}
        aria-label="How far it is played"
        onChange={(event) => void seek(Number(event.target.value))}
      />
      <label>
        Speed{" "}
        <select className="field" defaultValue={SPEEDS[0]} onChange={(event) => (speed.current = Number(event.target.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button small" title="As an asciicast, which other players show too" onClick={() => void save()}>
        Save
      </button>
      <Refusal error={problem} />
    </div>
  );
}
