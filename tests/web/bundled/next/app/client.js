"use client";

import { useEffect, useState } from "react";

import { ask } from "./ask.js";

export function Client() {
  const [found, setFound] = useState();
  useEffect(() => {
    ask().then(setFound, (error) => setFound({ error: String(error) }));
  }, []);
  return <p id="client">{found && JSON.stringify(found)}</p>;
}
