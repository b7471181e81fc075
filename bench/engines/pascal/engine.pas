{ engine: runs loops of digests in Pascal, as told on standard input: an engine (crates/hashmill-measure/src/engine.rs).

    --stop LOOP BYTES    for `hashmill bench codegen --listing LOOP --program 'engine --stop'`: runs the loop once, stops, runs
                         it again, stops
    --list               the names of the kernels that this CPU can run

  With -dALONE it is compiled without the library: only the stand-alone kernels. }
program Engine;

{$MODE OBJFPC}{$H+}{$ASMMODE INTEL}{$Q-}{$R-}

uses
  {$IF defined(LINUX)}BaseUnix, Linux, UnixType, {$ELSEIF defined(WINDOWS)}Windows, {$ELSE}BaseUnix, Unix, {$ENDIF}
  SysUtils, Math, fpjson, jsonparser, {$IFNDEF ALONE}HashMill, {$ENDIF}Crc32Kernels, Md5Kernels;

type
  EEngine = class(Exception);

const
  { Bytes of the longest message. }
  SIZE = 65536;

var
  Memory: array[0..SIZE + 4095] of Byte;
  { The message, at the beginning of a page: where it lies makes a difference to fast functions. }
  Data: PByte;

{ Bytes that nothing can be guessed from, the same every time. }
procedure Fill;
var
  X: QWord;
  I: Integer;
begin
  Data := Align(@Memory[0], 4096);
  X := QWord($2545F4914F6CDD1D);
  for I := 0 to SIZE - 1 do
  begin
    X := X xor (X shl 13);
    X := X xor (X shr 7);
    X := X xor (X shl 17);
    Data[I] := Byte((X * QWord($9E3779B97F4A7C15)) shr 56);
  end;
end;

{ Nanoseconds since some moment. }
function Now_: Int64;
{$IF defined(LINUX)}
var
  T: TTimeSpec;
begin
  clock_gettime(CLOCK_MONOTONIC, @T);
  Result := Int64(T.tv_sec) * 1000000000 + T.tv_nsec;
end;
{$ELSEIF defined(WINDOWS)}
var
  Ticks, Hertz: Int64;
begin
  QueryPerformanceCounter(Ticks);
  QueryPerformanceFrequency(Hertz);
  Result := Round(Ticks / Hertz * 1e9);
end;
{$ELSE}
var
  T: TTimeVal;
begin
  fpGetTimeOfDay(@T, nil);
  Result := Int64(T.tv_sec) * 1000000000 + T.tv_usec * 1000;
end;
{$ENDIF}

{$IF defined(CPUX86_64) or defined(CPUI386)}
{ Additions that wait for one another, one for each cycle of the core: 16 a turn. }
procedure Cycles(Turns: NativeUInt); assembler; nostackframe;
asm
  {$IFDEF CPUX86_64}{$IFDEF WIN64}
  mov     rax, rcx
  {$ELSE}
  mov     rax, rdi
  {$ENDIF}{$ENDIF}
  mov     edx, eax
@next:
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  add     eax, ecx
  sub     edx, 1
  jnz     @next
end;
{$ELSE}
procedure Cycles(Turns: NativeUInt);
begin
end;
{$ENDIF}

function KernelOf(const Name: string): TCrcFunction;
begin
  Result := nil;
  case Name of
    'crc32/bytewise': Result := @Crc32Bytewise;
    'crc32/slicing8': Result := @Crc32Slicing8;
    'crc32c/slicing8': Result := @Crc32cSlicing8;
    {$IF declared(Crc32FoldAsm)}
    'crc32/bytewise-asm': Result := @Crc32BytewiseAsm;
    'crc32/unrolled-asm': Result := @Crc32UnrolledAsm;
    'crc32/slicing8-asm': Result := @Crc32Slicing8Asm;
    'crc32/fold-asm': if HasClmul then Result := @Crc32FoldAsm;
    'crc32c/sse42-asm': if HasSse42 then Result := @Crc32cSse42Asm;
    {$ENDIF}
    {$IF declared(Crc32FoldWideAsm)}
    'crc32/fold-wide-asm': if HasVpclmul then Result := @Crc32FoldWideAsm;
    {$ENDIF}
  end;
end;

const
  LOOPS_: array[0..10] of string = ('crc32/bytewise', 'crc32/bytewise-asm', 'crc32/unrolled-asm', 'crc32/slicing8', 'crc32/slicing8-asm', 'crc32/fold-asm',
    'crc32/fold-wide-asm', 'crc32c/slicing8', 'crc32c/sse42-asm', 'md5/pascal', 'md5/asm');

{ Nanoseconds that so many turns of a loop take, or a negative number if there is no such loop here. }
function Run(const Name: string; Bytes, Times: Int64): Int64;
var
  Crc: TCrcFunction;
  {$IFNDEF ALONE}
  A: THashAlgorithm;
  Digest: array[0..255] of Byte;
  Len: NativeUInt;
  {$ENDIF}
  I: NativeInt;
  Start: Int64;
  Sum: Cardinal;
begin
  Result := -1;
  if (Bytes < 0) or (Bytes > SIZE) or (Times < 1) or (NativeInt(Times) <> Times) then
    Exit;
  if Name = 'cycles' then
  begin
    Start := Now_;
    Cycles(Max(1, Times div 16));
    Exit(Now_ - Start);
  end;
  if (Name = 'md5/pascal') or (Name = 'md5/asm') then
  begin
    MD5Blocks := @MD5BlocksPascal;
    if Name = 'md5/asm' then
      {$IF declared(MD5BlocksAsm)}
      MD5Blocks := @MD5BlocksAsm;
      {$ELSE}
      Exit;
      {$ENDIF}
    Start := Now_;
    for I := 1 to NativeInt(Times) do
      MD5(Data, Bytes);
    Exit(Now_ - Start);
  end;
  if Pos('/', Name) > 0 then
  begin
    Crc := KernelOf(Name);
    if not Assigned(Crc) then
      Exit;
    Sum := 0;
    Start := Now_;
    for I := 1 to NativeInt(Times) do
      Sum := Crc(Data, Bytes, Sum);
    Exit(Now_ - Start);
  end;
  {$IFNDEF ALONE}
  try
    A := THashAlgorithm.Named(Name);
  except
    on E: EHashMill do
    begin
      { Without the library there is nothing to measure, and no row would say why. }
      if E.Kind = hekNoLibrary then
        raise;
      Exit;
    end;
  end;
  Len := A.DigestLen;
  if Len > SizeOf(Digest) then
    Exit;
  Start := Now_;
  for I := 1 to NativeInt(Times) do
    A.DigestTo(Data, Bytes, @Digest, Len);
  Result := Now_ - Start;
  {$ENDIF}
end;

{ The kernels that can run here. }
procedure List;
var
  Name: string;
begin
  for Name in LOOPS_ do
    if Run(Name, 5, 1) >= 0 then
      Writeln(Name);
end;

{ Stops the program round the second run, for who looks on. }
procedure Stopping(const Name: string; Bytes: Integer);
var
  I: Integer;
begin
  for I := 1 to 2 do
  begin
    if Run(Name, Bytes, 1) < 0 then
      raise EEngine.CreateFmt('%s: no such loop, or one that this CPU cannot run', [Name]);
    {$IFDEF UNIX}
    fpKill(fpGetPid, SIGSTOP);
    {$ENDIF}
  end;
end;

function CaseOf(const Name: string; Bytes: Integer): string;
begin
  Result := Format('`%s`, %d bytes', [Name, Bytes]);
end;

{ Says what this is and what it can run, and answers requests until there are no more. }
procedure Answer;
const
  SIZES: array[0..1] of Integer = (5, 5000);
var
  Names, Cases: array of string;
  Sizes_: array of Integer;
  Hello, Item, Request: TJSONObject;
  Loops: TJSONArray;
  Name, Line: string;
  Size, I, At: Integer;
  {$IFNDEF ALONE}
  K: NativeUInt;
  {$ENDIF}
  Took: Int64;
begin
  Names := nil;
  for Name in LOOPS_ do
    if Run(Name, 5, 1) >= 0 then
      Names := Concat(Names, [Name]);
  {$IFNDEF ALONE}
  for K := 0 to THashAlgorithm.Count - 1 do
    Names := Concat(Names, [THashAlgorithm.At(K).Name]);
  {$ENDIF}
  Loops := TJSONArray.Create;
  Cases := nil;
  Sizes_ := nil;
  SetLength(Cases, 2 * Length(Names));
  SetLength(Sizes_, 2 * Length(Names));
  for I := 0 to High(Names) do
    for At := 0 to 1 do
    begin
      Size := SIZES[At];
      Cases[2 * I + At] := CaseOf(Names[I], Size);
      Sizes_[2 * I + At] := Size;
      Item := TJSONObject.Create(['case', Cases[2 * I + At], 'by', 'Pascal', 'bytes', Size]);
      Loops.Add(Item);
    end;
  Hello := TJSONObject.Create(['protocol', 1, 'engine', 'Free Pascal ' + {$I %FPCVERSION%} + Format(', %d bits', [8 * SizeOf(Pointer)]), 'loops', Loops]);
  try
    Writeln(Hello.AsJSON);
    Flush(Output);
  finally
    Hello.Free;
  end;
  while not Eof(Input) do
  begin
    Readln(Line);
    Request := GetJSON(Line) as TJSONObject;
    try
      At := High(Cases);
      while (At >= 0) and (Cases[At] <> Request.Strings['case']) do
        Dec(At);
      if At < 0 then
        raise EEngine.CreateFmt('no loop %s', [Request.Strings['case']]);
      Took := Run(Names[At div 2], Sizes_[At], Request.Int64s['times']);
      if Took < 0 then
        raise EEngine.CreateFmt('%s does not run', [Cases[At]]);
    finally
      Request.Free;
    end;
    Writeln('{"ns":', Took, '}');
    Flush(Output);
  end;
end;

procedure Main;
var
  Bytes: Int64;
begin
  if ParamCount = 0 then
    Answer
  else if (ParamCount = 1) and (ParamStr(1) = '--list') then
    List
  else if (ParamCount = 3) and (ParamStr(1) = '--stop') then
  begin
    if not TryStrToInt64(ParamStr(3), Bytes) or (Bytes < 0) or (Bytes > SIZE) then
      raise EEngine.CreateFmt('--stop %s %s: a number of bytes from 0 to %d', [ParamStr(2), ParamStr(3), SIZE]);
    Stopping(ParamStr(2), Bytes);
  end
  else
    raise EEngine.CreateFmt('%s: no such option; the first lines of engine.pas have them all', [ParamStr(1)]);
end;

begin
  DefaultFormatSettings.DecimalSeparator := '.';
  try
    Fill;
    Main;
    Flush(Output);
  except
    on E: Exception do
    begin
      Writeln(StdErr, 'engine: ', E.Message);
      Halt(1);
    end;
  end;
end.
