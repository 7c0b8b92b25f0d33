// Plays an ended execution's terminal again: start, hold, faster, to the end; or saves it.
import { useEffect, useRef, useState } from "react";

import { ApiError, request } from "@/api/client";
import type { Emulator } from "./emulator";
import { play, readCast, type Playing } from "./replay";

const SPEEDS = [1, 4, 16];

export function ReplayBar({ id, emulator }: { id: string; emulator: Emulator }) {
  const address = `/api/executions/${encodeURIComponent(id)}/transcript`;
  const playing = useRef<Playing | null>(null);
  const speed = useRef(SPEEDS[0]!);
  const [shown, setShown] = useState(1);
  const [held, setHeld] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => () => playing.current?.stop(), []);
  const start = async () => {
    setProblem(null);
    try {
      const pieces = readCast(await (await request(address, { method: "GET" })).text());
      if (pieces.length === 0) return setProblem("It showed nothing.");
      playing.current?.stop();
      emulator.reset();
      setHeld(false);
      setShown(0);
      playing.current = play(pieces, () => speed.current, (text) => emulator.write(text), setShown);
    } catch (error) {
      setProblem(error instanceof ApiError ? `${error.message} ${error.hint ?? ""}` : String(error));
    }
  };
  const hold = () => {
    if (held) playing.current?.goOn();
    else playing.current?.pause();
    setHeld(!held);
  };
  return (
    <div className="replay">
      {shown < 1 ? (
        <>
          <button type="button" className="button small" onClick={hold}>
            {held ? "Go on" : "Hold"}
          </button>
          <button type="button" className="button small" onClick={() => playing.current?.finish()}>
            To the end
          </button>
          <progress value={shown} aria-label="How far it is played" />
        </>
      ) : (
        <button type="button" className="button small" onClick={() => void start()}>
          Replay
        </button>
      )}
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
      <a className="button small" href={address} download={`${id}.cast`} title="As an asciicast, which other players show too">
        Save
      </a>
      {problem !== null && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
